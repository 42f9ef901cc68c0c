# The extension modules of each interpreter, compiled as its users compile theirs: with the flags that
# its sysconfig says. They lie together in gctax-ext/X.Y.Z[t][d] and know no linkage.
include_guard()

# *flags: how this interpreter's users compile, as far as our compiler knows it.
function(gctax_ext_flags facts flags)
  include("${facts}")
  set(taken)
  foreach(flag IN LISTS PY_CFLAGS)
    if(CMAKE_BUILD_TYPE STREQUAL "Debug" AND flag MATCHES "^(-O|-g|-flto|-DNDEBUG|-fstack-protector)")
      continue() # the build type decides
    endif()
    gctax_check_flag(known "${flag}")
    if(known)
      list(APPEND taken "${flag}")
    endif()
  endforeach()
  if(NOT "-DNDEBUG" IN_LIST PY_CFLAGS)
    list(APPEND taken -UNDEBUG) # the build type may have set it
  endif()
  set(${flags} "${taken}" PARENT_SCOPE)
endfunction()

# The module `name`, of the .c files of `directory`, for the interpreter whose modules lie in gctax-ext/`id`.
function(gctax_add_module name directory facts id)
  include("${facts}")
  set(target ${name}-${id})
  file(GLOB sources CONFIGURE_DEPENDS ${directory}/*.c)
  add_library(${target} MODULE ${sources})
  gctax_flags(${target})
  gctax_ext_flags("${facts}" flags)
  target_compile_options(${target} PRIVATE ${flags})
  target_include_directories(${target} PRIVATE ext)
  target_include_directories(${target} SYSTEM PRIVATE ${PY_INCLUDE_DIRS})
  set_target_properties(${target} PROPERTIES
    PREFIX "" OUTPUT_NAME ${name} SUFFIX "${PY_EXT_SUFFIX}"
    LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/gctax-ext/${id}")
  if(APPLE)
    target_link_options(${target} PRIVATE -undefined dynamic_lookup)
  endif()
endfunction()

# The Python package that checks a type, beside the modules of gctax-ext/`id`. It is compiled by the
# interpreter that will import it, else each checked process would do that again: a worker writes no
# byte code. The sources are copied anew whenever one changes, so that nobody has to compare them.
function(gctax_add_check facts id)
  include("${facts}")
  set(source "${PROJECT_SOURCE_DIR}/harness/check/gctax_check")
  set(directory "${PROJECT_BINARY_DIR}/gctax-ext/${id}/gctax_check")
  file(GLOB files CONFIGURE_DEPENDS ${source}/*.py)
  set(stamp "${PROJECT_BINARY_DIR}/gctax-ext/${id}.check")
  add_custom_command(OUTPUT "${stamp}" DEPENDS ${files} VERBATIM
    COMMAND ${CMAKE_COMMAND} -E rm -rf "${directory}" # a module that is gone must not stay
    COMMAND ${CMAKE_COMMAND} -E make_directory "${directory}"
    COMMAND ${CMAKE_COMMAND} -E copy ${files} "${directory}"
    COMMAND "${PY_EXECUTABLE}" -I -m compileall -q --invalidation-mode unchecked-hash
            -s "${PROJECT_BINARY_DIR}/gctax-ext/${id}" "${directory}"
    COMMAND ${CMAKE_COMMAND} -E touch "${stamp}"
    COMMENT "gctax_check for ${id}")
  add_custom_target(gctax_check-${id} ALL DEPENDS "${stamp}")
  install(DIRECTORY "${directory}" DESTINATION ${GCTAX_LIBEXECDIR}/gctax-ext/${id})
endfunction()

# All modules of an interpreter, once however many workers it has. *directory: where they lie,
# relative to the build directory.
function(gctax_add_ext facts directory)
  include("${facts}")
  get_property(known GLOBAL PROPERTY "GCTAX_EXT_${PY_ID}")
  if(known)
    set(${directory} "${known}" PARENT_SCOPE)
    return()
  endif()
  set(id "${PY_VERSION}${PY_FLAGS}")
  set(number 2)
  while(TARGET gctax_ext-${id}) # another interpreter of the same release
    set(id "${PY_VERSION}${PY_FLAGS}-${number}")
    math(EXPR number "${number} + 1")
  endwhile()
  set_property(GLOBAL PROPERTY "GCTAX_EXT_${PY_ID}" "gctax-ext/${id}")
  set(${directory} "gctax-ext/${id}" PARENT_SCOPE)

  gctax_add_module(gctax_ext ext "${facts}" ${id})
  gctax_add_module(gctax_probe harness/check "${facts}" ${id})
  install(TARGETS gctax_ext-${id} gctax_probe-${id} LIBRARY DESTINATION ${GCTAX_LIBEXECDIR}/gctax-ext/${id})
  gctax_add_check("${facts}" ${id})
  # Types that break the collector's contract, for tests, also those of a build elsewhere.
  gctax_add_module(gctax_faults ext/faults "${facts}" ${id})
  foreach(fault IN ITEMS kept_type shared_type needs_gil) # those of a whole module
    gctax_add_module(gctax_fault_${fault} ext/faults/${fault} "${facts}" ${id})
  endforeach()
  if(GCTAX_TESTS)
    set_property(GLOBAL APPEND PROPERTY GCTAX_EXT_TESTS "${id}" "${PY_EXECUTABLE}")
  endif()
endfunction()
