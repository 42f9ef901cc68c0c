/* Methods of an instance that was cleared. Include pycompat.h first. */
#ifndef GCTAX_PROBE_METHODS_H
#define GCTAX_PROBE_METHODS_H

#include "probe.h"

/* Each method that by its name only looks at the instance (get…, copy, keys, __len__, …) is called
 * on an instance that tp_clear has emptied, in another process: without arguments, with 0 and with
 * None. One that crashes is called on an instance that was not cleared, too. The last step is the
 * first method that crashes on cleared ones alone. */
#define PROBE_METHODS(X)                                                                           \
    X(COUNT, called, "methods that were called on cleared instances")                              \
    X(COUNT, crashed, "of them: crashed, and not on an instance that was not cleared")             \
    X(COUNT, crashed_anyhow, "of them: crashed on one that was not cleared, too")                  \
    X(COUNT, hung, "of them: were still running when their time was over")                         \
    X(COUNT, signal, "the signal of the first crash that only a cleared instance has")

struct probe_methods {
    PROBE_METHODS(PROBE_MEMBER)
};

extern const struct probe probe_methods;

#endif
