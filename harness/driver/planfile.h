/* The file `plan` of a run's folder: lines of CSV that say what was decided before its first cell.
 *
 *   plan,1,SCHEMA            number of this format, hash of the columns
 *   run_id,ID  repeats,N
 *   option,NAME[,VALUE]      as given, for the reader and against contradictions
 *   worker,NAME,VERSION,WORD…
 *   refused,WORKER,TARGET,REASON
 *   cell,ARGUMENT…           in the order of execution
 *   end,CELLS */
#ifndef GCTAX_PLANFILE_H
#define GCTAX_PLANFILE_H

#include "run.h"

/* Adds the file's text. 0, or -1 where memory ran out. */
int planfile_write(const struct run *run, struct csv *text);

/* Fills run (whose options are those given beside --resume) from the text, which it modifies: given
 * options have to agree with the plan's, which take their place. Says what is wrong. */
enum exit_code planfile_read(struct run *run, char *text);

#endif
