/* A forked child with limits: whatever it does, an end that can be described. */
#ifndef GCTAX_PROBE_CHILD_H
#define GCTAX_PROBE_CHILD_H

#include <stddef.h>
#include <stdint.h>

struct probe_limits {
    double seconds;       /* wall time, more where it waits for a processor: probe_patience.h */
    int64_t memory_bytes; /* resident size; 0: none. Not enforced where /proc is missing */
};

#define PROBE_LIMITS_DEFAULT                                                                       \
    {                                                                                              \
        .seconds = 20, .memory_bytes = (int64_t)1 << 30                                            \
    }

/* X(NAME, word) */
#define PROBE_CHILD_STATUS(X)                                                                      \
    X(FINISHED, "finished")                                                                        \
    X(FAILED, "failed")               /* its body returned -1 */                                   \
    X(EXITED, "exited")               /* something called exit() */                                \
    X(SIGNALLED, "signalled")         /* a crash, or an abort, whose message is in the output */   \
    X(TIMED_OUT, "timed-out")         /* killed for its time: it hung */                           \
    X(OUT_OF_MEMORY, "out-of-memory") /* killed for its resident size */

#define PROBE_CHILD_ENUM(NAME, word) PROBE_CHILD_##NAME,
enum probe_child_status { PROBE_CHILD_STATUS(PROBE_CHILD_ENUM) };
#undef PROBE_CHILD_ENUM

struct probe_child_end {
    enum probe_child_status status;
    int signal;        /* SIGNALLED */
    int exit_code;     /* EXITED */
    char output[4096]; /* how its standard output and error began, as one text */
};

/* "finished", … */
const char *probe_child_status_text(enum probe_child_status status);

/* Runs body(context) in a forked child of this interpreter, whose standard output and error are
 * caught, and waits for its end. It never returns to the caller's code there: the child leaves by
 * _exit() without finalizing the interpreter. The caller holds the GIL, and no other Python thread
 * may run. 0 however the child ended, or -1 with an exception: OSError, or what a signal handler of
 * the caller raised; no child is left behind. */
int probe_child_run(int (*body)(void *context), void *context, const struct probe_limits *limits,
                    struct probe_child_end *end);

#endif
