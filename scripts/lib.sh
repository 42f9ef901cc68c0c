# Shared by the shell programs of this folder, which source it as `. "$root/scripts/lib.sh"` with
# $root and $program set. POSIX sh.
# shellcheck shell=sh
# shellcheck disable=SC2034 # variables for the programs that source this
# shellcheck disable=SC2154 # root and program, of those programs

# Python 3.9 is the oldest that workers embed; CMake 3.25 the first with the presets' version.
oldest_minor=9
cmake_needed=3.25

# Where builds of CPython that this machine lacks are kept, outside the tree.
cache=${GCTAX_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/gctax}
free_threaded_prefix=$cache/python3.13t
free_threaded_python=$free_threaded_prefix/bin/python3.13t

say() {
	printf '%s\n' "$*"
}

heading() {
	printf '\n== %s\n' "$*"
}

# row NAME VALUE: one line of an aligned block
row() {
	printf '  %-22s %s\n' "$1" "$2"
}

# fail CODE MESSAGE…: each further argument is one more line
fail() {
	code=$1
	shift
	printf '%s: %s\n' "$program" "$1" >&2
	shift
	for line; do
		printf '    %s\n' "$line" >&2
	done
	exit "$code"
}

have() {
	command -v "$1" >/dev/null 2>&1
}

# logged LOG COMMAND…: the command's output goes to LOG; its end is shown where the command fails
logged() {
	log=$1
	shift
	if "$@" >"$log" 2>&1 </dev/null; then
		return 0
	fi
	printf '%s: failed: %s; the last lines of %s:\n' "$program" "$*" "$log" >&2
	tail -n 15 "$log" | sed 's/^/    /' >&2
	return 1
}

# Warnings are errors where nobody reads them.
werror=OFF
[ -z "${CI:-}" ] || werror=ON

cpus() {
	getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2
}

# --- the Python that scripts run on --------------------------------------------------------------

# python_imports PYTHON MODULE…
python_imports() {
	python=$1
	shift
	"$python" -c 'import importlib, sys
for name in sys.argv[1:]:
    importlib.import_module(name)' "$@" >/dev/null 2>&1 </dev/null
}

# The first Python that can import all MODULEs, on stdout. The system's comes first: `python3` on
# PATH may be a shim of a version manager, whose CPython has no packages.
find_python() {
	for candidate in /usr/bin/python3 python3 /usr/local/bin/python3 /opt/homebrew/bin/python3; do
		path=$(command -v "$candidate" 2>/dev/null) || continue
		if python_imports "$path" "$@"; then
			printf '%s\n' "$path"
			return 0
		fi
	done
	return 1
}

# --- the Pythons that workers embed --------------------------------------------------------------

# facts PYTHON: sets python_version, python_minor and python_flags; true where it is a CPython with
# headers, from the program that the build itself asks.
facts() {
	asked=$("$1" -I "$root/cmake/interpreter.py" 2>/dev/null </dev/null) || return 1
	fact() {
		printf '%s\n' "$asked" | sed -n "s/^set($1 \\[==\\[\\(.*\\)\\]==\\])\$/\\1/p"
	}
	python_version=$(fact PY_VERSION)
	python_minor=$(fact PY_MINOR)
	python_flags=$(fact PY_FLAGS)
	[ "$(fact PY_IMPLEMENTATION)" = CPython ] || return 1
	[ "$python_minor" -ge "$oldest_minor" ] || return 1
	[ -n "$(fact PY_INCLUDE_DIRS)" ] || return 1
}

# The system's CPython: the one the distribution's packages belong to.
system_python() {
	for candidate in /usr/bin/python3 /opt/homebrew/bin/python3 /usr/local/bin/python3 python3; do
		path=$(command -v "$candidate" 2>/dev/null) || continue
		if facts "$path"; then
			printf '%s\n' "$path"
			return 0
		fi
	done
	return 1
}

# The newest plain build (no debug, not free-threaded) of another release than the system's, whose
# path is $1. Nothing where there is none.
newest_other_python() {
	facts "$1" || return 1
	system_minor=$python_minor
	best=
	best_minor=0
	for candidate in /usr/bin/python3.[0-9]* /usr/local/bin/python3.[0-9]* /opt/*/bin/python3.[0-9]* \
		"${PYENV_ROOT:-${HOME:-/root}/.pyenv}"/versions/*/bin/python3.[0-9]*; do
		case $candidate in
		*-config | *-gdb.py | *[!0-9]) continue ;;
		esac
		[ -x "$candidate" ] || continue
		facts "$candidate" || continue
		[ -z "$python_flags" ] || continue
		[ "$python_minor" -ne "$system_minor" ] || continue
		if [ "$python_minor" -gt "$best_minor" ]; then
			best=$candidate
			best_minor=$python_minor
		fi
	done
	[ -z "$best" ] || printf '%s\n' "$best"
}

# --- what is missing, and how it is installed ----------------------------------------------------

# compiles HEADER LIBRARY…: can the C compiler use them? The test of a package that is true on every
# system.
compiles() {
	header=$1
	shift
	probe=$(mktemp -d) || return 1
	printf '#include <stdarg.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <setjmp.h>\n#include <%s>\nint main(void) { return 0; }\n' \
		"$header" >"$probe/probe.c"
	status=0
	cc -o "$probe/probe" "$probe/probe.c" "$@" >/dev/null 2>&1 || status=1
	rm -rf "$probe"
	return "$status"
}

# Google Benchmark for C++, which has no C header.
compiles_benchmark() {
	probe=$(mktemp -d) || return 1
	printf '#include <benchmark/benchmark.h>\nBENCHMARK_MAIN();\n' >"$probe/probe.cc"
	status=0
	c++ -std=c++17 -o "$probe/probe" "$probe/probe.cc" -lbenchmark -pthread >/dev/null 2>&1 || status=1
	rm -rf "$probe"
	return "$status"
}

# The program that compares two results of Google Benchmark; only Debian has it as a package.
has_benchmark_compare() {
	[ -r /usr/share/benchmark/compare.py ] || ! have apt-get
}

cmake_is_new_enough() {
	have cmake || return 1
	version=$(cmake --version | sed -n '1s/^cmake version //p')
	[ "$(printf '%s\n%s\n' "$cmake_needed" "$version" | sort -V | sed 1q)" = "$cmake_needed" ]
}

# Is the thing here? One case a thing of the table below.
present() {
	case $1 in
	compiler) compiles stdio.h ;;
	cmake) cmake_is_new_enough ;;
	popt) compiles popt.h -lpopt ;;
	cmocka) compiles cmocka.h -lcmocka ;;
	c++) have c++ ;;
	benchmark) compiles_benchmark ;;
	benchmark-compare) has_benchmark_compare ;;
	ffi) compiles ffi.h -lffi ;;
	zlib) compiles zlib.h -lz ;;
	headers) system_python >/dev/null ;;
	charts) find_python matplotlib numpy >/dev/null ;;
	pytest | flake8 | mypy | lxml) find_python matplotlib numpy "$1" >/dev/null ;;
	keyring) [ -r /usr/share/keyrings/debian-archive-keyring.gpg ] ;;
	*) have "$1" ;;
	esac
}

# THING|Debian, Ubuntu|Fedora|Homebrew. A tool that has the name of its thing needs no case above.
packages_of() {
	sed -n "s/^$1|//p" <<-'TABLE'
		compiler|gcc libc6-dev|gcc glibc-devel|gcc
		cmake|cmake|cmake|cmake
		ninja|ninja-build|ninja-build|ninja
		popt|libpopt-dev|popt-devel|popt
		headers|python3-dev|python3-devel|python
		charts|python3-matplotlib python3-numpy|python3-matplotlib python3-numpy|python-matplotlib numpy
		pytest|python3-pytest|python3-pytest|pytest
		cmocka|libcmocka-dev|libcmocka-devel|cmocka
		c++|g++|gcc-c++|gcc
		benchmark|libbenchmark-dev|google-benchmark-devel|google-benchmark
		benchmark-compare|libbenchmark-tools||
		hyperfine|hyperfine|hyperfine|hyperfine
		lxml|python3-lxml|python3-lxml|
		flake8|flake8|python3-flake8|flake8
		mypy|mypy|python3-mypy|mypy
		clang-format|clang-format|clang-tools-extra|clang-format
		clang-tidy|clang-tidy|clang-tools-extra|llvm
		cppcheck|cppcheck|cppcheck|cppcheck
		shellcheck|shellcheck|ShellCheck|shellcheck
		valgrind|valgrind|valgrind|
		mmdebstrap|mmdebstrap|mmdebstrap|
		keyring|debian-archive-keyring|debian-keyring|
		dpkg-source|dpkg-dev||
		patch|patch|patch|
		xz|xz-utils|xz|xz
		make|make|make|make
		ffi|libffi-dev|libffi-devel|
		zlib|zlib1g-dev|zlib-devel|
	TABLE
}

# install_missing THING…: nothing where all are here. Else prints what is missing and the command,
# and runs it as root or through sudo; where neither is possible the command is the message, exit 3.
install_missing() {
	missing=
	for thing; do
		present "$thing" || missing="$missing $thing"
	done
	[ -n "$missing" ] || return 0
	if have apt-get; then
		column=1
		refresh='apt-get update'
		install='env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends'
	elif have dnf; then
		column=2
		refresh=
		install='dnf install -y'
	elif have brew; then
		column=3
		refresh=
		install='brew install'
	else
		fail 3 "missing:$missing; no package manager that I know (apt-get, dnf, brew)"
	fi
	packages=
	for thing in $missing; do
		packages="$packages $(packages_of "$thing" | cut -d'|' -f"$column")"
	done
	# shellcheck disable=SC2086 # words, and the empty ones dropped
	packages=$(printf '%s\n' $packages | sort -u | tr '\n' ' ')
	packages=${packages% }
	[ -n "$packages" ] || fail 3 "missing:$missing; this system has no package for it"
	if have brew && [ "$column" = 3 ]; then
		root_prefix=
	elif [ "$(id -u)" = 0 ]; then
		root_prefix=
	elif have sudo && sudo -n true 2>/dev/null; then
		root_prefix='sudo -n'
	else
		as_root="$install $packages"
		[ -z "$refresh" ] || as_root="$refresh && $as_root"
		fail 3 "missing:$missing; I am not root and sudo asks for a password. As root, run:" "$as_root"
	fi
	heading "install"
	row missing "${missing# }"
	row command "${root_prefix:+$root_prefix }$install $packages"
	install_log=$(mktemp)
	# shellcheck disable=SC2086 # commands and packages are words
	{
		if [ -n "$refresh" ]; then
			logged "$install_log" $root_prefix $refresh ||
				fail 3 "the package lists cannot be refreshed: is the network there?"
		fi
		logged "$install_log" $root_prefix $install $packages ||
			fail 3 "not everything could be installed, see above"
	}
	rm -f "$install_log"
	for thing in $missing; do
		present "$thing" || fail 3 "installed, and still missing: $thing"
	done
}

# --- the build -----------------------------------------------------------------------------------

# configure PRESET DIRECTORY OPTION…
configure() {
	preset=$1
	directory=$2
	shift 2
	generator=
	[ -f "$directory/CMakeCache.txt" ] || generator='-G Ninja'
	mkdir -p "$directory"
	# shellcheck disable=SC2086 # one option in words, or none
	if ! logged "$directory/configure.log" cmake -S "$root" --preset "$preset" -B "$directory" $generator \
		"-DGCTAX_WERROR=$werror" "-DGCTAX_SCRIPTS_PYTHON=$scripts_python" "$@"; then
		# A first attempt that failed must not be what the next one starts from.
		[ -z "$generator" ] || rm -rf "$directory/CMakeCache.txt" "$directory/CMakeFiles"
		fail 3 "$directory cannot be configured, see above"
	fi
	# What was found and passed over, with the reason of each.
	sed -n 's/^-- \(Passed over .*\)/  \1/p; s/^--   worker   /  worker  /p' "$directory/configure.log"
}

# compile DIRECTORY
compile() {
	logged "$1/build.log" cmake --build "$1" -j "$(cpus)" || fail 3 "$1 does not compile, see above"
}

# Second line of the programs by which scripts/interpreters lets the driver find the workers that it
# built elsewhere. CMake knows the words, too.
entrance_mark='# Enters a chroot; written by scripts/interpreters.'

is_entrance() {
	[ "$(sed -n '2{p;q;}' "$1" 2>/dev/null | tr -d '\000')" = "$entrance_mark" ]
}

# remove_entrances DIRECTORY: those, and the links that lead to none
remove_entrances() {
	for entrance in "$1"/gctax-worker-*; do
		if [ -L "$entrance" ]; then
			[ -e "$entrance" ] && ! is_entrance "$entrance" || rm -f "$entrance"
		elif [ -f "$entrance" ] && is_entrance "$entrance"; then
			rm -f "$entrance"
		fi
	done
}

# A path as the user would type it here.
short() {
	case $1 in
	"$PWD"/*) printf '%s\n' "${1#"$PWD"/}" ;;
	*) printf '%s\n' "$1" ;;
	esac
}
