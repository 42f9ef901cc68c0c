/* Subjects made of Python callables. Include pycompat.h first. */
#ifndef GCTAX_SUBJECT_H
#define GCTAX_SUBJECT_H

#include "probe.h"

struct subject_callables; /* what the callbacks of a subject call */

struct subject {
    struct probe_subject
        probed; /* for the probes; its context is this struct, which must not move */
    struct probe_slot *slots;
    struct subject_callables *callables;
    PyObject *make, *destroyed, *sequence; /* owned */
};

/* Fills `subject`, to be released with subject_free(). make() returns a new instance. Each of
 * `slots`, a sequence or NULL for none, is a tuple (name, put) or (name, put, make): put(instance,
 * value) or None, make(value) or None. destroyed() returns how many instances were destroyed; None
 * or NULL: nobody counts. `facts`: a dict, None or NULL, borrowed. 0, or -1 with an exception. */
int subject_open(struct subject *subject, PyObject *make, PyObject *slots, PyObject *destroyed,
                 PyObject *facts);
void subject_free(struct subject *subject);

#endif
