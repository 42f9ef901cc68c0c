/* What the worker prints on its own standard output: the protocol of docs/design.md. */
#ifndef GCTAX_REPORT_H
#define GCTAX_REPORT_H

#include "record.h"

struct report {
    int fd;      /* owned */
    bool failed; /* a write failed: nobody reads any more */
    struct csv line;
};

/* Takes standard output for the worker alone: keeps it under another descriptor, closed on exec,
 * and points descriptor 1 at standard error. 0, or -1 with errno. */
int report_open(struct report *report);
/* The first line. */
void report_protocol(struct report *report);
void report_phase(struct report *report, const char *phase);
/* Prints the row and empties it. */
void report_row(struct report *report, struct record *record);
/* Lines gathered by report_row() and report_phase() go out at each phase and here. 0, or -1 where
 * any of it could not be written. */
int report_flush(struct report *report);
/* Adds one row of environment.csv. */
void report_fact(struct report *report, const char *key, const char *value);

#endif
