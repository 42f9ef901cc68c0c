/* The interpreter that this worker embeds: isolated, with a given hash seed and allocator, and the
 * places that modules are imported from. */
#ifndef GCTAX_INTERP_H
#define GCTAX_INTERP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct variant_table;

/* Is that a word of the cell parameter `allocator`? */
bool interp_knows_allocator(const char *allocator);
/* Can this build use it? NULL, or the reason why not. */
const char *interp_refuses_allocator(const char *allocator);

/* Starts the interpreter: isolated (no environment variable is heeded), without site, user site,
 * bytecode files and signal handlers. 0, or -1 with one line in `why`. Does not return where
 * CPython itself finds the failure fatal. */
int interp_start(const char *allocator, uint32_t hash_seed, char *why, size_t size);

/* What interp_start() leaves to later; all return 0, or -1 with an exception.
 * Directories are put before sys.path, the first one first. */
int interp_add_paths(const char *const *directories, size_t count);
/* The site-packages of a virtual environment, with their .pth files. */
int interp_add_venv(const char *venv);
/* What `import site` adds: the site-packages of the interpreter itself. */
int interp_add_site(void);
/* gctax_ext from the directory `base`/GCTAX_EXT_DIR; what it holds lives as long as the process. */
const struct variant_table *interp_variants(const char *base);

/* The allocator that is active: the word CPython has for it, or, where the interpreter does not
 * export that, what its blocks look like. */
const char *interp_active_allocator(void);
/* Facts. The strings live as long as the process. */
const char *interp_version(void); /* 3.13.0 */
unsigned interp_release(void);    /* 13 */
const char *interp_build(void);
const char *interp_compiler(void);
const char *interp_libc(void); /* glibc 2.36 */
bool interp_free_threaded(void);
bool interp_debug(void);

#endif
