"""Prints facts about the interpreter that runs it, as CMake set() commands.

The interpreter's own sysconfig is the source of every include path, library and flag that the build
uses for it. Runs on Python 3.6 too, to be able to say that it is too old.
"""

import os
import platform
import shlex
import sys
import sysconfig


def var(name: str) -> str:
    """A variable of sysconfig as text, "" where it is unknown."""
    value = sysconfig.get_config_var(name)
    return "" if value is None else str(value)


def first_file(directories: "list[str]", names: "list[str]") -> str:
    """The first existing DIRECTORY/NAME, "" where there is none."""
    for name in names:
        for directory in directories:
            path = os.path.join(directory, name)
            if name and os.path.isfile(path):
                return path
    return ""


def include_dirs() -> "list[str]":
    """Where Python.h is, and where pyconfig.h is. [] without Python.h.

    The recorded directory is wrong for a build that was moved after its installation: there the
    one that sysconfig derives from the running interpreter's prefix has the header."""
    for header, platform_dir in (
        (var("INCLUDEPY"), var("CONFINCLUDEPY")),
        (sysconfig.get_path("include"), sysconfig.get_path("platinclude")),
    ):
        if os.path.isfile(os.path.join(header, "Python.h")):
            found = [header]
            if platform_dir != header and os.path.isdir(platform_dir):
                found.append(platform_dir)
            return found
    return []


def library_dirs() -> "list[str]":
    """Where a libpython may lie, the recorded places first."""
    return [var("LIBDIR"), var("LIBPL"), os.path.join(sys.base_prefix, "lib")]


def shared_library() -> str:
    """libpython to link with dynamically: the development link, else the library itself."""
    name = var("LDLIBRARY")
    if name.endswith(".a"):
        return ""
    framework = var("PYTHONFRAMEWORKPREFIX")
    places = library_dirs() + ([framework] if framework else [])
    return first_file(places, [name, var("INSTSONAME")])


def static_library() -> str:
    """libpython as an archive: the one that the interpreter's own executable is made of."""
    return first_file([var("LIBPL")] + library_dirs(), [var("LIBRARY")])


def static_link_options() -> "list[str]":
    """Libraries and linker flags a static libpython needs, in their order.

    Recorded values may name objects of the build tree and hold stray backslashes (Debian's MODLIBS
    does both): only what is an option for the linker is taken."""
    words = []
    for name in ("LINKFORSHARED", "LIBS", "SYSLIBS", "MODLIBS"):
        words += shlex.split(var(name).replace("\\", " "))
    options = []
    take_next = ""
    for word in words:
        if take_next:
            options.append("-Wl," + word if take_next == "-Xlinker" else take_next + " " + word)
            take_next = ""
        elif word in ("-Xlinker", "-framework"):
            take_next = word
        elif word.startswith(("-l", "-L", "-Wl,", "-pthread")):
            options.append(word)
    # Of equal libraries the last is enough, but not the first: an archive needs what follows it.
    unique = []  # type: list[str]
    for option in reversed(options):
        if option not in unique:
            unique.insert(0, option)
    return unique


def compile_flags() -> "list[str]":
    """The flags that extensions of this interpreter are compiled with, without warnings, paths and
    files of the machine that built it."""
    flags = []  # type: list[str]
    for word in shlex.split(var("CFLAGS")):
        if word.startswith(("-W", "-I", "-specs", "-fplugin", "-ffile-prefix", "-fdebug-prefix")):
            continue
        if word in flags:
            flags.remove(word)  # the last one counts
        flags.append(word)
    # Of several levels of optimisation only the last one counts.
    levels = [word for word in flags if word.startswith("-O")]
    return [word for word in flags if not word.startswith("-O")] + levels[-1:]


def build_words(debug: bool, free_threaded: bool) -> str:
    """How this CPython was built, as far as it records that: a distribution may not."""
    arguments = var("CONFIG_ARGS")
    flags = " ".join(var(name) for name in ("PY_CFLAGS", "PY_CORE_CFLAGS", "PY_LDFLAGS_NODIST"))
    words = ["debug" if debug else "release"]
    if free_threaded:
        words.append("free-threaded")
    if "--enable-optimizations" in arguments or "-fprofile-use" in flags:
        words.append("pgo")
    if ("--with-lto" in arguments and "--with-lto=no" not in arguments) or "-flto" in flags:
        words.append("lto")
    # Unless told otherwise, CPython uses them wherever the compiler has them.
    told_not = "--without-computed-gotos" in arguments or "--with-computed-gotos=no" in arguments
    if var("HAVE_COMPUTED_GOTOS") == "1" and not told_not:
        words.append("computed-gotos")
    return "+".join(words)


def main() -> None:
    executable = os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)
    status = os.stat(executable)
    free_threaded = var("Py_GIL_DISABLED") == "1"
    debug = hasattr(sys, "gettotalrefcount")
    facts = {
        "PY_EXECUTABLE": executable,
        # Equal for all names of one interpreter, hard links included.
        "PY_ID": "{}:{}".format(status.st_dev, status.st_ino),
        "PY_IMPLEMENTATION": platform.python_implementation(),
        "PY_VERSION": platform.python_version().rstrip("+"),
        "PY_MINOR": sys.version_info[1],
        "PY_FLAGS": ("t" if free_threaded else "") + ("d" if debug else ""),
        "PY_BUILD": build_words(debug, free_threaded),
        "PY_INCLUDE_DIRS": ";".join(include_dirs()),
        "PY_SHARED_LIBRARY": shared_library(),
        "PY_STATIC_LIBRARY": static_library(),
        "PY_STATIC_LINK_OPTIONS": ";".join(static_link_options()),
        "PY_CFLAGS": ";".join(compile_flags()),
        "PY_EXT_SUFFIX": var("EXT_SUFFIX"),
    }
    for name, value in facts.items():
        print("set({} [==[{}]==])".format(name, value))


main()
