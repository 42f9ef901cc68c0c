# The Python programs: each executable scripts/NAME.py is the command gctax-NAME, which `gctax NAME`
# runs; files that are not executable are modules of theirs.
include_guard()

# The Python that runs them: /usr/bin/python3 where it has what they import, because `python3` on
# PATH may be a version manager's without numpy and matplotlib.
function(gctax_find_scripts_python result)
  if(GCTAX_SCRIPTS_PYTHON)
    set(candidates "${GCTAX_SCRIPTS_PYTHON}")
  else()
    set(candidates /usr/bin/python3 python3 ${GCTAX_PROGRAMS})
  endif()
  foreach(python IN LISTS candidates)
    execute_process(COMMAND "${python}" -c "import matplotlib, numpy, sys; print(sys.executable)"
                    OUTPUT_VARIABLE path RESULT_VARIABLE status ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(status EQUAL 0)
      set(${result} "${path}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
  if(GCTAX_SCRIPTS_PYTHON)
    message(FATAL_ERROR "GCTAX_SCRIPTS_PYTHON: ${GCTAX_SCRIPTS_PYTHON} does not run or lacks numpy or matplotlib")
  endif()
  message(WARNING "No Python with numpy and matplotlib was found: gctax plot will not work. "
                  "Install them (Debian: python3-matplotlib) or name one: -DGCTAX_SCRIPTS_PYTHON=PATH")
  set(${result} "/usr/bin/python3" PARENT_SCOPE)
endfunction()

gctax_find_scripts_python(python)
set(GCTAX_SCRIPTS_PYTHON_FOUND "${python}")

file(GLOB scripts CONFIGURE_DEPENDS scripts/*.py)
foreach(path IN LISTS scripts)
  execute_process(COMMAND test -x "${path}" RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    continue()
  endif()
  cmake_path(GET path FILENAME script)
  cmake_path(GET path STEM command)
  string(REPLACE "_" "-" command "gctax-${command}")
  set(executable OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  set(directory "${PROJECT_SOURCE_DIR}/scripts")
  configure_file(cmake/command.sh.in "${command}" @ONLY FILE_PERMISSIONS ${executable})
  set(directory "\${0%/*}/scripts") # beside the installed command
  configure_file(cmake/command.sh.in "installed/${command}" @ONLY FILE_PERMISSIONS ${executable})
  install(PROGRAMS "${PROJECT_BINARY_DIR}/installed/${command}" DESTINATION ${GCTAX_LIBEXECDIR})
endforeach()
install(FILES harness/cases.toml DESTINATION ${GCTAX_LIBEXECDIR}/harness)
install(DIRECTORY harness/check DESTINATION ${GCTAX_LIBEXECDIR}/harness FILES_MATCHING PATTERN "*.toml"
        PATTERN gctax_check EXCLUDE)
install(DIRECTORY harness/cases DESTINATION ${GCTAX_LIBEXECDIR}/harness FILES_MATCHING PATTERN "*.py")
install(DIRECTORY scripts DESTINATION ${GCTAX_LIBEXECDIR} FILES_MATCHING PATTERN "*.py"
        PATTERN tests EXCLUDE PATTERN __pycache__ EXCLUDE)
