/* The check: all rules on all forms of a type. Include pycompat.h first. */
#ifndef GCTAX_CHECK_H
#define GCTAX_CHECK_H

#include "rule.h"

#include <stdbool.h>

struct check_row {
    int number;
    const char *id;
    enum rule_severity severity;
    const char *leads_to, *source, *doc, *probed;
    const struct rule *rule;
};

/* Index of each rule in check_rows. */
#define RULE(number, name, ...) CHECK_##name,
enum check_index {
#include "rules.def"
    CHECK_RULES
};

extern const struct check_row check_rows[CHECK_RULES];

/* What the check says of one rule. */
struct check_finding {
    enum rule_verdict verdict;
    enum rule_certainty certainty;
    int form;
    const char *slot; /* in the subject's slots, or NULL */
    bool died;        /* the breach is a death of a probe's child */
    char done[300], seen[500], expected[300], leads_to[200], reason[400];
};

/* A type, or a Python subclass of it. */
struct check_form {
    const char *name;
    const struct probe_subject *subject;
};

struct check;

/* Judges all rules: findings[i] is about check_rows[i]. 0, or -1 with an exception. */
int check_run(const struct check_form *forms, int form_count, PyObject *facts,
              const struct probe_limits *limits, struct check_finding findings[CHECK_RULES]);

const char *check_verdict_text(enum rule_verdict verdict);
const char *check_certainty_text(enum rule_certainty certainty);
const char *check_severity_text(enum rule_severity severity);

#endif
