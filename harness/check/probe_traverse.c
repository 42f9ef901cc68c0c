#include "pycompat.h"

#include "probe_traverse.h"

#include <stdbool.h>
#include <stdlib.h>

/* Calls tp_traverse where no exception is in flight; one that it leaves is dropped. */
static int traverse(PyObject *self, visitproc visit, void *arg)
{
    int returned = Py_TYPE(self)->tp_traverse(self, visit, arg);
    PyErr_Clear();
    return returned;
}

struct listing {
    struct probe_visited *visited;
    bool failed;
};

static int list_one(PyObject *object, void *arg)
{
    struct listing *listing = arg;
    struct probe_visited *visited = listing->visited;
    if (object == NULL) {
        visited->nulls++;
        return 0;
    }
    if (visited->count == visited->room) {
        size_t room = visited->room != 0 ? 2 * visited->room : 128;
        PyObject **grown = realloc(visited->object, room * sizeof(PyObject *));
        if (grown == NULL) {
            listing->failed = true;
            return 0;
        }
        visited->object = grown;
        visited->room = room;
    }
    visited->object[visited->count++] = object;
    return 0;
}

int probe_visit(PyObject *self, struct probe_visited *visited)
{
    struct listing listing = {.visited = visited};
    visited->count = 0;
    visited->nulls = 0;
    traverse(self, list_one, &listing);
    if (!listing.failed)
        return 0;
    PyErr_NoMemory();
    return -1;
}

void probe_visited_free(struct probe_visited *visited)
{
    free(visited->object);
    *visited = (struct probe_visited){NULL, 0, 0, 0};
}

int64_t probe_visited_count(const struct probe_visited *visited, PyObject *sought)
{
    int64_t count = 0;
    for (size_t i = 0; i < visited->count; i++)
        count += visited->object[i] == sought;
    return count;
}

struct search {
    PyObject *sought;
    int64_t found;
};

static int search_one(PyObject *object, void *arg)
{
    struct search *search = arg;
    search->found += object == search->sought;
    return 0;
}

int64_t probe_visits_of(PyObject *self, PyObject *sought)
{
    struct search search = {.sought = sought};
    if (Py_TYPE(self)->tp_traverse != NULL && PyObject_IS_GC(self))
        traverse(self, search_one, &search);
    return search.found;
}

struct stop {
    int64_t at;
    int64_t calls;
    int answer;
};

static int stop_one(PyObject *Py_UNUSED(object), void *arg)
{
    struct stop *stop = arg;
    return stop->calls++ >= stop->at ? stop->answer : 0;
}

int probe_visit_until(PyObject *self, int64_t at, int answer, int64_t *calls)
{
    struct stop stop = {.at = at, .answer = answer};
    int returned = traverse(self, stop_one, &stop);
    *calls = stop.calls;
    return returned;
}
