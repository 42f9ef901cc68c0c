# How a program that embeds an interpreter is linked with its libpython.
include_guard()

# The libraries and options a static libpython is linked with, as recorded by the interpreter. Of the
# libraries an interpreter that is itself static takes what it needs, by file name (-l:libz.so.1): a
# plain -lz asks for development packages that Debian's python3.N-dev does not depend on.
function(gctax_static_options facts result)
  include("${facts}")
  set(options ${PY_STATIC_LINK_OPTIONS})
  if(NOT APPLE)
    gctax_needed_libraries("${facts}" needed)
    if(NOT needed MATCHES "libpython3")
      list(FILTER options EXCLUDE REGEX "^-l")
      string(REGEX MATCHALL "\\(NEEDED\\)[^\n]*" lines "${needed}")
      string(REGEX MATCHALL "lib[A-Za-z0-9_+-]+\\.so[.0-9]*" names "${lines}")
      list(FILTER names EXCLUDE REGEX "^libc\\.")
      list(TRANSFORM names PREPEND "-l:")
      list(APPEND options ${names})
    endif()
  endif()
  set(${result} "${options}" PARENT_SCOPE)
endfunction()

# Makes the library target `target`: what links with `library` (an archive or a shared object).
function(gctax_python_target target facts linkage library)
  include("${facts}")
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${target} SYSTEM INTERFACE ${PY_INCLUDE_DIRS})
  if(linkage STREQUAL "shared")
    target_link_libraries(${target} INTERFACE "${library}")
    return()
  endif()
  # The whole archive, because extension modules use what the program itself does not; and not
  # position independent, because an interpreter's archive need not be (Debian's is not).
  gctax_static_options("${facts}" options)
  target_link_libraries(${target} INTERFACE "$<LINK_LIBRARY:WHOLE_ARCHIVE,${library}>" ${options} ${CMAKE_DL_LIBS})
  if(NOT APPLE)
    target_compile_options(${target} INTERFACE -fno-pie)
    target_link_options(${target} INTERFACE -no-pie)
  endif()
endfunction()

# Links embed.c and `sources` with `library`. *links: did it? *log: what compiler and linker said.
function(gctax_try_embedding facts linkage library sources links log)
  include("${facts}")
  string(SHA1 key "${facts} ${linkage} ${library} ${sources}")
  gctax_python_target(gctax_try_${key} "${facts}" ${linkage} "${library}")
  set(ENV{LC_ALL} C)
  try_compile(linked SOURCES "${PROJECT_SOURCE_DIR}/cmake/embed.c" ${sources}
              LINK_LIBRARIES gctax_try_${key} OUTPUT_VARIABLE output NO_CACHE)
  set(${links} ${linked} PARENT_SCOPE)
  set(${log} "${output}" PARENT_SCOPE)
endfunction()

# Debian's archives from 3.13 on lack the HACL* code that the built-in modules _blake2, _md5, _sha1,
# _sha2 and _sha3 call. Makes a copy of the archive without the modules that do not link, and a source
# of substitutes for them, whose import raises ImportError: hashlib then takes OpenSSL's functions.
# `log` is what the linker said of the archive. *archive is "" where this does not help.
function(gctax_complete_archive facts base log archive substitutes)
  include("${facts}")
  set(${archive} "" PARENT_SCOPE)
  string(REGEX MATCHALL "\\.a\\([^)\n]+\\.o\\): in function [^\n]*\n[^\n]*undefined reference" matches "${log}")
  set(members)
  foreach(match IN LISTS matches)
    string(REGEX REPLACE "^\\.a\\(([^)\n]+)\\).*" "\\1" member "${match}")
    list(APPEND members "${member}")
  endforeach()
  list(REMOVE_DUPLICATES members)
  if(NOT members OR NOT CMAKE_AR)
    return()
  endif()
  cmake_path(GET PY_STATIC_LIBRARY FILENAME name)
  set(copy "${base}/${name}")
  file(COPY "${PY_STATIC_LIBRARY}" DESTINATION "${base}")
  execute_process(COMMAND "${CMAKE_AR}" d "${copy}" ${members} RESULT_VARIABLE status)
  gctax_try_embedding("${facts}" static "${copy}" "" links log)
  string(REGEX MATCHALL "undefined reference to [`']PyInit_[A-Za-z0-9_]+" matches "${log}")
  list(TRANSFORM matches REPLACE ".*PyInit_" "")
  list(REMOVE_DUPLICATES matches)
  set(source "#include <Python.h>\n")
  foreach(module IN LISTS matches)
    string(APPEND source "
PyMODINIT_FUNC PyInit_${module}(void);
PyMODINIT_FUNC PyInit_${module}(void)
{
    PyErr_SetString(PyExc_ImportError, \"${module}: not in this worker, because ${name} lacks a part of it\");
    return NULL;
}
")
  endforeach()
  file(WRITE "${base}/substitutes.c" "${source}")
  gctax_try_embedding("${facts}" static "${copy}" "${base}/substitutes.c" links log)
  if(links)
    list(JOIN matches ", " modules)
    message(STATUS "${name} lacks parts of ${modules}: a statically linked worker of ${PY_EXECUTABLE} cannot import them")
    set(${archive} "${copy}" PARENT_SCOPE)
    set(${substitutes} "${base}/substitutes.c" PARENT_SCOPE)
  endif()
endfunction()

# *library and *substitutes: what to link and compile into a program that embeds the interpreter in
# the given linkage. *library is "" where it has no such libpython, or a program does not link with
# it; then *why says so. Tried once for each state of interpreter and library.
function(gctax_find_libpython facts linkage library substitutes why)
  include("${facts}")
  if(linkage STREQUAL "static")
    set(candidate "${PY_STATIC_LIBRARY}")
  else()
    set(candidate "${PY_SHARED_LIBRARY}")
  endif()
  set(${library} "" PARENT_SCOPE)
  set(${substitutes} "" PARENT_SCOPE)
  if(candidate STREQUAL "")
    set(${why} "it has no ${linkage} libpython" PARENT_SCOPE)
    return()
  endif()

  file(SHA1 "${facts}" key)
  file(TIMESTAMP "${candidate}" time "%s")
  set(base "${PROJECT_BINARY_DIR}/interpreters/${key}-${time}-${linkage}")
  if(NOT EXISTS "${base}/found.cmake")
    set(found "")
    set(extra "")
    gctax_try_embedding("${facts}" ${linkage} "${candidate}" "" links log)
    file(WRITE "${base}/link.log" "${log}")
    if(links)
      set(found "${candidate}")
    elseif(linkage STREQUAL "static")
      gctax_complete_archive("${facts}" "${base}" "${log}" found extra)
    endif()
    file(WRITE "${base}/found.cmake" "set(found [==[${found}]==])\nset(extra [==[${extra}]==])\n")
  endif()
  include("${base}/found.cmake")
  set(${library} "${found}" PARENT_SCOPE)
  set(${substitutes} "${extra}" PARENT_SCOPE)
  set(${why} "no program links with ${candidate}; see ${base}/link.log" PARENT_SCOPE)
endfunction()

# Makes the library target `target` for a program that embeds the interpreter; *substitutes are
# sources to compile into it.
function(gctax_embedding facts linkage target substitutes)
  gctax_find_libpython("${facts}" ${linkage} found extra why)
  gctax_python_target(${target} "${facts}" ${linkage} "${found}")
  set(${substitutes} "${extra}" PARENT_SCOPE)
endfunction()
