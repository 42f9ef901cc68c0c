/* Calls of a tp_traverse outside of a collection. Include pycompat.h first. */
#ifndef GCTAX_PROBE_TRAVERSE_H
#define GCTAX_PROBE_TRAVERSE_H

#include <stddef.h>
#include <stdint.h>

/* What one call visited, in order. Zero before the first use; may be used again. */
struct probe_visited {
    PyObject **object; /* borrowed */
    size_t count;
    size_t room;
    int64_t nulls; /* calls of the visitor with NULL, which are not in the list */
};

/* Fills `visited`, which probe_visited_free() releases, from one traversal of `self`, whose type
 * has a tp_traverse. Allocates with malloc() alone. 0, or -1 with MemoryError. */
int probe_visit(PyObject *self, struct probe_visited *visited);
void probe_visited_free(struct probe_visited *visited);

/* How often one traversal of `self` visits `sought`; 0 where the type has no tp_traverse. Looks at
 * nothing that it is shown. */
int64_t probe_visits_of(PyObject *self, PyObject *sought);

/* How often `sought` is in the list. */
int64_t probe_visited_count(const struct probe_visited *visited, PyObject *sought);

/* Traverses `self` with a visitor that returns `answer` at visit `at` (from 0) and later. Returns
 * what tp_traverse returned, and how often the visitor was called in *calls. */
int probe_visit_until(PyObject *self, int64_t at, int answer, int64_t *calls);

#endif
