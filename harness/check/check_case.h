/* The inside of a check, for check.c and rule.c. Include pycompat.h first. */
#ifndef GCTAX_CHECK_CASE_H
#define GCTAX_CHECK_CASE_H

#include "check.h"

#define PROBE(name) +1
enum {
    CHECK_PROBES = 0
#include "probes.def"
};
#undef PROBE

struct check {
    const struct check_form *forms;
    int form_count;
    PyObject *facts; /* a dict, or NULL; borrowed */
    const struct probe_limits *limits;
    struct probe_result **results; /* CHECK_PROBES of each form; NULL: not run yet */
    struct check_finding *findings;
    bool begun[CHECK_RULES];
};

struct rule_case {
    struct check *check;
    int index; /* of the rule */
    int form;
    struct check_finding *finding;
};

/* Judges a rule, unless that was begun. 0, or -1 with an exception. */
int check_judge(struct check *check, int index);

#endif
