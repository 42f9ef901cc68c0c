# The workers: one for each interpreter and linkage asked for.
include_guard()

# `gctax run` takes every worker beside it: one that is no longer built must not stay there.
function(gctax_remove_stale_workers)
  file(GLOB old "${PROJECT_BINARY_DIR}/gctax-worker-*")
  foreach(file IN LISTS old)
    string(REGEX REPLACE ".*/gctax-worker-" "" tag "${file}")
    if(NOT tag IN_LIST GCTAX_TAGS)
      # What scripts/interpreters put here leads to workers that were built elsewhere.
      set(entrance "")
      if(EXISTS "${file}")
        file(STRINGS "${file}" entrance LIMIT_INPUT 200 REGEX "written by scripts/interpreters")
      endif()
      if(entrance)
        continue()
      endif()
      file(REMOVE "${file}")
    endif()
  endforeach()
endfunction()

# Of what scripts/interpreters put here a build says when it is out of date.
add_custom_target(gctax_elsewhere ALL
  COMMAND "${PROJECT_SOURCE_DIR}/cmake/elsewhere.sh" "${PROJECT_BINARY_DIR}" "${PROJECT_SOURCE_DIR}"
  COMMENT "Workers built elsewhere" VERBATIM)

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
  target_link_libraries(${target} PRIVATE gctax_record m)
endfunction()

# The worker `tag`: a program that embeds the interpreter, or for hosted a module of it and a
# launcher that starts the interpreter with that module.
function(gctax_add_worker facts tag linkage ext_dir)
  include("${facts}")
  file(GLOB body CONFIGURE_DEPENDS harness/worker/*.c)
  list(FILTER body EXCLUDE REGEX "/(worker_main|hosted_module|hosted_launcher|selfbench)\\.c$")
  set(front "${PROJECT_SOURCE_DIR}/harness/worker")
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
    gctax_embedding("${facts}" ${linkage} gctax_python-${tag} substitutes)
    add_executable(${worker} ${body} "${front}/worker_main.c" ${substitutes})
    gctax_worker_settings(${worker} "${facts}" ${linkage} "${ext_dir}")
    target_link_libraries(${worker} PRIVATE gctax_python-${tag})
    if(GCTAX_SANITIZE)
      target_sources(${worker} PRIVATE "${PROJECT_SOURCE_DIR}/cmake/asan_options.c")
    endif()
    # Extension modules find libpython's symbols in the program; and the library where it was linked.
    set_target_properties(${worker} PROPERTIES ENABLE_EXPORTS ON INSTALL_RPATH_USE_LINK_PATH ON)
  endif()
  set_target_properties(${worker} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
  set_property(GLOBAL APPEND PROPERTY GCTAX_WORKERS ${worker})
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
  foreach(program tag linkage IN ZIP_LISTS GCTAX_PROGRAMS GCTAX_TAGS GCTAX_LINKAGES)
    message(STATUS "  worker   gctax-worker-${tag}  ${linkage}  ${program}")
  endforeach()
  get_property(benches GLOBAL PROPERTY GCTAX_BENCHES)
  foreach(bench IN LISTS benches)
    get_filename_component(name "${bench}" NAME)
    message(STATUS "  bench    ${name}")
  endforeach()
  message(STATUS "  tests    ${GCTAX_TESTS_FOUND}")
endfunction()
