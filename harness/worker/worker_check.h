/* `--check -- ARGUMENT…`: the front of `gctax check`. Its own arguments and everything it prints
 * are the business of the Python package gctax_check, which lies beside gctax_ext. */
#ifndef GCTAX_WORKER_CHECK_H
#define GCTAX_WORKER_CHECK_H

/* Runs gctax_check in the interpreter that was started, which prints to `fd`. The exit code, or -1
 * with an exception. `base` is the directory that GCTAX_EXT_DIR is relative to; `words` are the
 * `count` arguments after `--`. */
int worker_check(const char *base, int fd, char *const *words, int count);

#endif
