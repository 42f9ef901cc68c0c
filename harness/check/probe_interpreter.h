/* A second interpreter in the process. Include pycompat.h first. */
#ifndef GCTAX_PROBE_INTERPRETER_H
#define GCTAX_PROBE_INTERPRETER_H

#include "probe.h"

/* Facts: "make_source", Python source (a str) that imports what it needs and leaves an instance of
 * the type in the name `made`. It is run in an interpreter of its own: from 3.12 on in one that has
 * its own GIL and asks each module whether it supports that; before, and where none was made there,
 * in one that shares the GIL. */
#define PROBE_INTERPRETER(X)                                                                       \
    X(FLAG, started, "a second interpreter could be started")                                      \
    X(FLAG, made, "an instance was made in one that shares the GIL")                               \
    X(FLAG, same_type, "its type is the very heap type of the first interpreter")                  \
    X(FLAG, ended, "that interpreter ended, and objects of the first one still work")              \
    X(FLAG, own_gil_refused, "an interpreter with a GIL of its own may not import the module")     \
    X(FLAG, own_gil_made, "an instance was made in one")                                           \
    X(FLAG, own_gil_same_type, "its type is the very heap type of the first interpreter")          \
    X(FLAG, own_gil_ended, "that interpreter ended, and objects of the first one still work")

struct probe_interpreter {
    PROBE_INTERPRETER(PROBE_MEMBER)
};

extern const struct probe probe_interpreter;

#endif
