/* The folder of a run, and how rows get into it: whole or not at all, whatever kills the driver.
 *
 * A cell's rows go to pauses.csv and latency.csv, and are on disk, before its row of cells.csv is
 * written: that row commits them. What no row of cells.csv commits is cut off by the next resume.
 */
#ifndef GCTAX_JOURNAL_H
#define GCTAX_JOURNAL_H

#include <stdbool.h>
#include <sys/types.h>

#include "complain.h"
#include "csv.h"
#include "record.h"

/* The tables a cell's rows are in: RECORD_CELLS, RECORD_PAUSES, RECORD_LATENCY. */
#define JOURNAL_TABLES 3

struct journal {
    int directory; /* descriptor, locked while it is open */
    int files[JOURNAL_TABLES];
    off_t ends[JOURNAL_TABLES]; /* where the last committed row ends */
    char **committed;           /* sorted keys of the rows in cells.csv, owned */
    size_t committed_count;
};

/* Could a run be written there? Changes nothing; says why not. A folder that has anything in it
 * needs `force`. */
enum exit_code journal_check(const char *path, bool force);

/* Makes the folder with its headers, `plan` and `environment` (whole texts). A folder that does not
 * exist appears with all of it at once; in an existing one the plan comes last, after the files of
 * the run that it held, if any, are gone. Says what is wrong. */
enum exit_code journal_create(struct journal *journal, const char *path, const struct csv *plan,
                              const struct csv *environment);

/* Opens the folder of an earlier run and locks it; its plan is added to `plan`. Says what is wrong.
 */
enum exit_code journal_open(struct journal *journal, const char *path, struct csv *plan);
/* Cuts off what was not committed and reads what was. May be killed at any moment and done again.
 * `environment` is written where the file is missing. */
enum exit_code journal_recover(struct journal *journal, const struct csv *environment);

/* Is there a row of cells.csv of this cell, worker and repeat? */
bool journal_has(const struct journal *journal, const char *cell_id, const char *worker,
                 unsigned repeat);

/* Appends a cell's rows, each with its line end; texts may be empty, that of cells.csv is one row.
 * 0 when all of it is on disk, or -1 with errno and the files as they were. */
int journal_commit(struct journal *journal, const struct csv texts[JOURNAL_TABLES]);

void journal_close(struct journal *journal);

#endif
