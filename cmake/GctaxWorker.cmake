# The programs and modules of each interpreter: gctax_ext, and a worker for each linkage asked for.
include_guard()

# Links of names that are no longer built would be taken for workers: nothing else removes them.
function(gctax_remove_stale_workers)
  file(GLOB old "${PROJECT_BINARY_DIR}/gctax-worker-*")
  foreach(file IN LISTS old)
    string(REGEX REPLACE ".*/gctax-worker-" "" tag "${file}")
    if(NOT tag IN_LIST GCTAX_TAGS)
      file(REMOVE "${file}")
    endif()
  endforeach()
endfunction()

# How a program that embeds the interpreter is linked: a library target to link with.
function(gctax_embedding facts linkage target)
  include("${facts}")
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${target} SYSTEM INTERFACE ${PY_INCLUDE_DIRS})
  if(linkage STREQUAL "static")
    # The whole archive, because extension modules use what the program itself does not; and not
    # position independent, because an interpreter's archive need not be (Debian's is not).
    target_link_libraries(${target} INTERFACE "$<LINK_LIBRARY:WHOLE_ARCHIVE,${PY_STATIC_LIBRARY}>")
    target_link_libraries(${target} INTERFACE ${PY_STATIC_LINK_OPTIONS} ${CMAKE_DL_LIBS})
    if(NOT APPLE)
      target_compile_options(${target} INTERFACE -fno-pie)
      target_link_options(${target} INTERFACE -no-pie)
    endif()
  elseif(linkage STREQUAL "shared")
    target_link_libraries(${target} INTERFACE "${PY_SHARED_LIBRARY}")
  endif()
endfunction()

# *result: does a program link with this interpreter's libpython? Asked once for each set of facts.
function(gctax_try_link facts linkage result)
  file(SHA1 "${facts}" key)
  set(variable "GCTAX_LINKS_${linkage}_${key}")
  if(NOT DEFINED ${variable})
    gctax_embedding("${facts}" ${linkage} "gctax_try_${linkage}_${key}")
    try_compile(${variable} SOURCES "${PROJECT_SOURCE_DIR}/cmake/embed.c"
                LINK_LIBRARIES "gctax_try_${linkage}_${key}" OUTPUT_VARIABLE output)
    if(NOT ${variable})
      file(WRITE "${PROJECT_BINARY_DIR}/interpreters/${linkage}-${key}.log" "${output}")
      message(STATUS "What the ${linkage} link said: ${PROJECT_BINARY_DIR}/interpreters/${linkage}-${key}.log")
    endif()
  endif()
  set(${result} ${${variable}} PARENT_SCOPE)
endfunction()

# gctax_ext, compiled as this interpreter's users compile their extensions. Built once for each
# interpreter. *directory: where it lies, relative to the build directory.
function(gctax_add_ext facts directory)
  include("${facts}")
  get_property(known GLOBAL PROPERTY "GCTAX_EXT_${PY_ID}")
  if(known)
    set(${directory} "${known}" PARENT_SCOPE)
    return()
  endif()
  set(name "${PY_VERSION}${PY_FLAGS}")
  set(number 2)
  while(TARGET gctax_ext-${name})
    set(name "${PY_VERSION}${PY_FLAGS}-${number}")
    math(EXPR number "${number} + 1")
  endwhile()
  set_property(GLOBAL PROPERTY "GCTAX_EXT_${PY_ID}" "gctax-ext/${name}")
  set(${directory} "gctax-ext/${name}" PARENT_SCOPE)

  set(flags)
  foreach(flag IN LISTS PY_CFLAGS)
    if(CMAKE_BUILD_TYPE STREQUAL "Debug" AND flag MATCHES "^(-O|-g|-flto|-DNDEBUG|-fstack-protector)")
      continue() # the build type decides
    endif()
    gctax_check_flag(known "${flag}")
    if(known)
      list(APPEND flags "${flag}")
    endif()
  endforeach()
  if(NOT "-DNDEBUG" IN_LIST PY_CFLAGS)
    list(APPEND flags -UNDEBUG)
  endif()

  file(GLOB sources CONFIGURE_DEPENDS ext/*.c)
  set(target gctax_ext-${name})
  add_library(${target} MODULE ${sources})
  gctax_flags(${target})
  target_compile_options(${target} PRIVATE ${flags})
  target_include_directories(${target} PRIVATE ext)
  target_include_directories(${target} SYSTEM PRIVATE ${PY_INCLUDE_DIRS})
  set_target_properties(${target} PROPERTIES
    PREFIX "" OUTPUT_NAME gctax_ext SUFFIX "${PY_EXT_SUFFIX}"
    LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/gctax-ext/${name}")
  if(APPLE)
    target_link_options(${target} PRIVATE -undefined dynamic_lookup)
  endif()
  install(TARGETS ${target} LIBRARY DESTINATION ${GCTAX_LIBEXECDIR}/gctax-ext/${name})
  if(GCTAX_TESTS)
    set_property(GLOBAL APPEND PROPERTY GCTAX_EXT_TESTS "${name}" "${PY_EXECUTABLE}")
  endif()
endfunction()

# Compiler settings that are common to all fronts of a worker.
function(gctax_worker_settings target facts linkage ext_dir)
  include("${facts}")
  gctax_flags(${target})
  target_include_directories(${target} PRIVATE ext harness/record harness/worker)
  target_compile_definitions(${target} PRIVATE
    GCTAX_PYTHON_EXECUTABLE="${PY_EXECUTABLE}"
    GCTAX_PYTHON_BUILD="${PY_BUILD}"
    GCTAX_LINKAGE="${linkage}"
    GCTAX_EXT_DIR="${ext_dir}"
    GCTAX_EXT_COMPILER="${GCTAX_COMPILER}")
  target_link_libraries(${target} PRIVATE gctax_record)
endfunction()

# The worker `tag`: a program that embeds the interpreter, or for hosted a module of it and a
# launcher that starts the interpreter with that module.
function(gctax_add_worker facts tag linkage ext_dir)
  include("${facts}")
  file(GLOB body CONFIGURE_DEPENDS harness/worker/*.c)
  list(FILTER body EXCLUDE REGEX "/(worker_main|hosted_module|hosted_launcher|selfbench)\\.c$")
  set(front "${PROJECT_SOURCE_DIR}/harness/worker")
  if(NOT EXISTS "${front}/worker_main.c")
    return()
  endif()
  set(worker gctax-worker-${tag})
  if(linkage STREQUAL "hosted")
    set(module gctax_hosted-${tag})
    set(directory "gctax-hosted/${tag}")
    add_library(${module} MODULE ${body} "${front}/hosted_module.c")
    gctax_worker_settings(${module} "${facts}" hosted "${ext_dir}")
    target_include_directories(${module} SYSTEM PRIVATE ${PY_INCLUDE_DIRS})
    set_target_properties(${module} PROPERTIES
      PREFIX "" OUTPUT_NAME gctax_hosted SUFFIX "${PY_EXT_SUFFIX}"
      LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/${directory}")
    if(APPLE)
      target_link_options(${module} PRIVATE -undefined dynamic_lookup)
    endif()
    install(TARGETS ${module} LIBRARY DESTINATION ${GCTAX_LIBEXECDIR}/${directory})

    add_executable(${worker} "${front}/hosted_launcher.c")
    gctax_worker_settings(${worker} "${facts}" hosted "${ext_dir}")
    target_compile_definitions(${worker} PRIVATE
      GCTAX_HOSTED_MODULE="${directory}/gctax_hosted${PY_EXT_SUFFIX}")
    add_dependencies(${worker} ${module})
  else()
    gctax_embedding("${facts}" ${linkage} gctax_python-${tag})
    add_executable(${worker} ${body} "${front}/worker_main.c")
    gctax_worker_settings(${worker} "${facts}" ${linkage} "${ext_dir}")
    target_link_libraries(${worker} PRIVATE gctax_python-${tag})
    # Extension modules find libpython's symbols in the program; and the library where it was linked.
    set_target_properties(${worker} PROPERTIES ENABLE_EXPORTS ON INSTALL_RPATH_USE_LINK_PATH ON)
  endif()
  set_target_properties(${worker} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
  install(TARGETS ${worker} RUNTIME DESTINATION ${GCTAX_LIBEXECDIR})
endfunction()

# Builds a worker for each row of GCTAX_FACTS, GCTAX_TAGS, GCTAX_LINKAGES, and gctax-worker-X.Y, a
# link to the first one listed of that release.
function(gctax_add_workers)
  gctax_remove_stale_workers()
  set(releases)
  foreach(facts tag linkage IN ZIP_LISTS GCTAX_FACTS GCTAX_TAGS GCTAX_LINKAGES)
    include("${facts}")
    gctax_add_ext("${facts}" ext_dir)
    gctax_add_worker("${facts}" ${tag} ${linkage} "${ext_dir}")
    if(NOT PY_MINOR IN_LIST releases)
      list(APPEND releases ${PY_MINOR})
      set(link "${PROJECT_BINARY_DIR}/gctax-worker-3.${PY_MINOR}")
      file(CREATE_LINK "gctax-worker-${tag}" "${link}" SYMBOLIC)
      install(FILES "${link}" DESTINATION ${GCTAX_LIBEXECDIR})
    endif()
  endforeach()
endfunction()

function(gctax_summary)
  message(STATUS "")
  message(STATUS "gctax ${PROJECT_VERSION}, ${CMAKE_BUILD_TYPE}, ${GCTAX_COMPILER}")
  if(GCTAX_DRIVER)
    message(STATUS "  driver   gctax")
    message(STATUS "  scripts  ${GCTAX_SCRIPTS_PYTHON_FOUND}")
  else()
    message(STATUS "  driver   not built (GCTAX_DRIVER is OFF)")
  endif()
  foreach(facts tag linkage IN ZIP_LISTS GCTAX_FACTS GCTAX_TAGS GCTAX_LINKAGES)
    include("${facts}")
    message(STATUS "  worker   gctax-worker-${tag}  ${linkage}  ${PY_EXECUTABLE}")
  endforeach()
  message(STATUS "  tests    ${GCTAX_TESTS_FOUND}")
endfunction()
