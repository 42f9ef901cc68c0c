/* Probes: what a type does when it meets the collector, seen from outside.
 *
 * A probe takes a subject (how to make an instance, how to put an object into it), works on it in a
 * forked child and fills a struct of observations. It gives no verdict: a count is what was
 * counted, and what it should be is for the caller, who knows what the type promises. The types
 * themselves are compiled, unmodified, and unknown here.
 *
 * Each probe is one file, probe_NAME.c, and one row of probes.def. Its header lists what it sees.
 * Include pycompat.h first. */
#ifndef GCTAX_PROBE_H
#define GCTAX_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe_child.h"

/* An observation that was not made: the type lacks what it is about, this build cannot tell, or the
 * child ended before. */
#define PROBE_UNSEEN INT64_MIN

/* A place where an instance can be made to hold an object. */
struct probe_slot {
    const char *name;
    /* Makes `self` hold `value` there, in place of what it held. 0, or -1 with an exception. NULL
     * where an object can be put only at construction. */
    int (*put)(void *context, PyObject *self, PyObject *value);
    /* A new instance (new reference) that holds `value` there, or NULL with an exception. May be
     * NULL where `put` is not. */
    PyObject *(*make)(void *context, PyObject *value);
    void *context;
};

struct probe_subject {
    /* A new instance (new reference) whose slots are empty, or NULL with an exception. All
     * instances are of one type, which is the type that is probed. */
    PyObject *(*make)(void *context);
    /* How many instances of the type were destroyed so far in this process, or -1 with an
     * exception. NULL where only the collector's list of objects can tell. */
    int64_t (*destroyed)(void *context);
    void *context;
    /* Beside these, a probe uses the instance dict where there is one, as the slot __dict__. */
    const struct probe_slot *slots;
    int slot_count;
    bool frozen; /* the caller has had gc.freeze() called: no child needs to */
    PyObject
        *facts; /* a dict of what single probes need, as their headers say; or NULL; borrowed */
};

/* What the flags and slots of the probed type say. */
struct probe_type {
    bool known; /* two instances were made: the rest was read */
    bool have_gc, heap, traverse, clear, finalize, weak, dict, managed_dict;
    char name[120];
    /* Of a class made in Python: its nearest base in C, where that lacks HAVE_GC and is not object.
     * What such a base holds no traverse of the interpreter's can show. Else empty. */
    char plain_base[120];
};

/* Observations are int64_t members of a struct, listed by an X-macro of X(KIND, name, doc). */
#define PROBE_MEMBER(KIND, name, doc) int64_t name;
#define PROBE_FIELD(KIND, name, doc) {#name, PROBE_KIND_##KIND, doc},
enum probe_kind { PROBE_KIND_COUNT, PROBE_KIND_FLAG };

struct probe_field {
    const char *name;
    enum probe_kind kind;
    const char *doc;
};

struct probe_run;

struct probe {
    const char *name;
    const char *doc;
    const struct probe_field *fields; /* of the subject, in the order of the struct's members */
    int field_count;
    const struct probe_field *slot_fields; /* of each slot; they follow, slot by slot */
    int slot_field_count;
    /* In the child, before the first instance is made. NULL: nothing to do. 0, or -1 with an
     * exception. */
    int (*early)(struct probe_run *run);
    /* In the child: observes, and stores what it saw in run->seen as soon as it saw it. 0, or -1
     * with an exception that kept it from going on. */
    int (*body)(struct probe_run *run);
};

struct probe_result {
    struct probe_child_end end;
    char step[160];      /* what the child was doing last */
    char message[400];   /* PROBE_CHILD_FAILED: the exception that kept the probe from going on */
    int64_t unraisable;  /* exceptions that code swallowed with a report to sys.unraisablehook */
    char swallowed[400]; /* the first of them */
    const struct probe *probe;
    struct probe_type type;
    int slot_count;         /* the subject's, and one more where instances have a dict */
    const char **slot_name; /* slot_count names */
    const int64_t *seen;    /* field_count values, then slot_field_count for each slot */
    void *memory;
    size_t memory_bytes;
};

/* Runs `probe` on `subject` in a child and fills `result`, to be released with probe_result_free();
 * the names in the subject must live as long. 0 however the child ended, or -1 with an exception
 * when none could be started. */
int probe_run(const struct probe *probe, const struct probe_subject *subject,
              const struct probe_limits *limits, struct probe_result *result);

void probe_result_free(struct probe_result *result);

#endif
