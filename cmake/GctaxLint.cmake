# `lint`: formatting, static analysis and Python lint with what is installed; nothing is written.
# Each tool is a target of its own: lint-format, lint-tidy, lint-cppcheck, lint-flake8, lint-mypy.
include_guard()
add_custom_target(lint)

# The target lint-`name` runs the command given; left out, with a message, where `tool` is not found.
function(gctax_add_lint name tool)
  find_program(found "${tool}" NO_CACHE)
  if(NOT found)
    message(STATUS "${tool} was not found: lint leaves it out")
    return()
  endif()
  add_custom_target(lint-${name} COMMAND ${ARGN}
                    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}" VERBATIM)
  add_dependencies(lint lint-${name})
endfunction()

file(GLOB_RECURSE lint_files RELATIVE "${PROJECT_SOURCE_DIR}" CONFIGURE_DEPENDS
     ext/*.[ch] harness/*.[ch] bench/*.[ch] bench/*.cc cmake/*.[ch])
set(lint_sources ${lint_files})
list(FILTER lint_sources EXCLUDE REGEX "\\.(h|cc)$|^cmake/")

gctax_add_lint(format clang-format clang-format --dry-run -Werror ${lint_files})

# Once for each source, with the first interpreter's headers, and not with each interpreter's.
set(include_dirs -Iext -Iharness/record -Iharness/worker -Iharness/driver -Iharness/check -Ibench)
if(GCTAX_FACTS)
  list(GET GCTAX_FACTS 0 facts)
  include("${facts}")
  set(tidy_flags -std=gnu11 -D_GNU_SOURCE ${include_dirs})
  foreach(directory IN LISTS PY_INCLUDE_DIRS)
    list(APPEND tidy_flags -isystem "${directory}")
  endforeach()
  # Macros that the build defines.
  foreach(name VERSION PYTHON_EXECUTABLE PYTHON_BUILD LINKAGE EXT_DIR EXT_COMPILER HOSTED_MODULE)
    list(APPEND tidy_flags "-DGCTAX_${name}=\"\"")
  endforeach()
  # A rule for each source, so that as many run at a time as the build has jobs.
  set(results)
  foreach(source IN LISTS lint_sources)
    set(result "tidy/${source}")
    add_custom_command(OUTPUT "${result}" WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}" VERBATIM
                       COMMAND clang-tidy --quiet "${source}" -- ${tidy_flags} COMMENT "clang-tidy ${source}")
    set_source_files_properties("${result}" PROPERTIES SYMBOLIC ON)
    list(APPEND results "${result}")
  endforeach()
  gctax_add_lint(tidy clang-tidy true)
  if(TARGET lint-tidy)
    target_sources(lint-tidy PRIVATE ${results})
  endif()
endif()
gctax_add_lint(cppcheck cppcheck cppcheck --quiet --std=c11 --error-exitcode=1
  --enable=warning,performance,portability --inline-suppr --suppress=missingInclude
  --suppress=missingIncludeSystem ${include_dirs} ext harness bench)
if(GCTAX_DRIVER)
  foreach(tool flake8 mypy)
    execute_process(COMMAND "${GCTAX_SCRIPTS_PYTHON_FOUND}" -c "import ${tool}" RESULT_VARIABLE status ERROR_QUIET)
    if(NOT status EQUAL 0)
      message(STATUS "${GCTAX_SCRIPTS_PYTHON_FOUND} has no ${tool}: lint leaves it out")
      continue()
    endif()
    gctax_add_lint(${tool} "${GCTAX_SCRIPTS_PYTHON_FOUND}" "${GCTAX_SCRIPTS_PYTHON_FOUND}" -m ${tool} scripts
                   harness/check/gctax_check)
  endforeach()
endif()
