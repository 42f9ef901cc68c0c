# Compiler flags of everything that is written here.
include_guard()
include(CheckCCompilerFlag)

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# Is `flag` known to the compiler? The answer is kept in the cache under the flag's name.
function(gctax_check_flag result flag)
  string(MAKE_C_IDENTIFIER "GCTAX_HAS${flag}" variable)
  set(CMAKE_REQUIRED_QUIET ON)
  check_c_compiler_flag("${flag}" ${variable})
  set(${result} ${${variable}} PARENT_SCOPE)
endfunction()

set(GCTAX_WARNINGS
    -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wwrite-strings)
if(GCTAX_WERROR)
  list(APPEND GCTAX_WARNINGS -Werror)
endif()

# The alignment of a hot function moves its time by more than what is measured here: fix it.
gctax_check_flag(aligns -falign-functions=64)
if(aligns)
  set(GCTAX_ALIGNMENT -falign-functions=64)
endif()

if(GCTAX_SANITIZE)
  set(GCTAX_SANITIZERS -fsanitize=address,undefined -fno-sanitize-recover=undefined)
  add_compile_options(${GCTAX_SANITIZERS} -fno-omit-frame-pointer)
  add_link_options(${GCTAX_SANITIZERS})
endif()

# gcc-12.2.0, as the rows of a run name it: "gcc 12.2.0".
string(TOLOWER "${CMAKE_C_COMPILER_ID}" compiler_name)
string(REPLACE "gnu" "gcc" compiler_name "${compiler_name}")
set(GCTAX_COMPILER "${compiler_name} ${CMAKE_C_COMPILER_VERSION}")

function(gctax_flags target)
  target_compile_definitions(${target} PRIVATE _GNU_SOURCE) # as Python.h defines it
  target_compile_options(${target} PRIVATE ${GCTAX_WARNINGS} ${GCTAX_ALIGNMENT})
endfunction()
