# All tests, registered with ctest: C (cmocka), extension modules under each interpreter, the programs (pytest).
include_guard()
set(GCTAX_TESTS_FOUND "")

# C tests: one program for each harness/tests/test_*.c, with the driver and what of the worker knows
# nothing of Python.
if(GCTAX_DRIVER)
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(CMOCKA QUIET IMPORTED_TARGET cmocka)
  endif()
  if(TARGET PkgConfig::CMOCKA)
    file(GLOB tests CONFIGURE_DEPENDS harness/tests/test_*.c)
    add_library(gctax_clock STATIC ${clock_sources})
    gctax_flags(gctax_clock)
    target_link_libraries(gctax_clock PUBLIC gctax_record)
    foreach(source IN LISTS tests)
      cmake_path(GET source STEM name)
      add_executable(${name} "${source}")
      gctax_flags(${name})
      target_link_libraries(${name} PRIVATE gctax_driver gctax_clock gctax_record PkgConfig::CMOCKA)
      set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
      add_test(NAME ${name} COMMAND ${name})
      set_tests_properties(${name} PROPERTIES
        ENVIRONMENT "GCTAX_SOURCE_DIR=${PROJECT_SOURCE_DIR};GCTAX_BUILD_DIR=${PROJECT_BINARY_DIR}")
    endforeach()
    list(APPEND GCTAX_TESTS_FOUND "C")
  else()
    message(WARNING "cmocka was not found (Debian: libcmocka-dev): the C tests are NOT built")
  endif()
endif()

# The extension modules under their interpreter.
get_property(ext_tests GLOBAL PROPERTY GCTAX_EXT_TESTS)
file(GLOB tests CONFIGURE_DEPENDS ext/tests/test_*.py)
if(GCTAX_SANITIZE)
  # Broken types crash, leak and exhaust the stack on purpose: what a sanitizer makes of that is its
  # own affair. The correct ones, and the probes on them, are what it watches.
  list(FILTER tests EXCLUDE REGEX "/test_(faults|rules)\\.py$")
endif()
while(ext_tests)
  list(POP_FRONT ext_tests name python)
  foreach(test IN LISTS tests)
    cmake_path(GET test STEM stem)
    add_test(NAME "${stem}-${name}" COMMAND "${python}" -B "${test}")
    set(environment "GCTAX_EXT_DIR=${PROJECT_BINARY_DIR}/gctax-ext/${name}")
    if(GCTAX_SANITIZE)
      # The interpreter itself is built without AddressSanitizer.
      execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=libasan.so
                      OUTPUT_VARIABLE asan OUTPUT_STRIP_TRAILING_WHITESPACE)
      list(APPEND environment "LD_PRELOAD=${asan}" "ASAN_OPTIONS=detect_leaks=0")
    endif()
    set_tests_properties("${stem}-${name}" PROPERTIES ENVIRONMENT "${environment}")
  endforeach()
endwhile()
if(tests AND GCTAX_TAGS)
  list(APPEND GCTAX_TESTS_FOUND "extension modules")
endif()

# The programs, from outside.
if(GCTAX_DRIVER)
  execute_process(COMMAND "${GCTAX_SCRIPTS_PYTHON_FOUND}" -c "import pytest"
                  RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
  if(status EQUAL 0)
    add_test(NAME programs COMMAND "${GCTAX_SCRIPTS_PYTHON_FOUND}" -m pytest -q -p no:cacheprovider
             "${PROJECT_SOURCE_DIR}/scripts/tests")
    set_tests_properties(programs PROPERTIES
      ENVIRONMENT "GCTAX_SOURCE_DIR=${PROJECT_SOURCE_DIR};GCTAX_BUILD_DIR=${PROJECT_BINARY_DIR}")
    list(APPEND GCTAX_TESTS_FOUND "programs (pytest)")
  else()
    message(WARNING "${GCTAX_SCRIPTS_PYTHON_FOUND} has no pytest (Debian: python3-pytest): "
                    "the tests of the programs are NOT run")
  endif()
endif()
list(JOIN GCTAX_TESTS_FOUND ", " GCTAX_TESTS_FOUND)
