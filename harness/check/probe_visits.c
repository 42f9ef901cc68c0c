#include "pycompat.h"

#include "probe_alloc.h"
#include "probe_run.h"
#include "probe_traverse.h"
#include "probe_visits.h"

#include <stdlib.h>
#include <string.h>

enum {
    SHARERS = 16,       /* instances that share referents: so many, or */
    FEWEST = 4,         /* where they are slow to make */
    HOLDERS = 3,        /* instances that hold one planted object */
    MAX_REFERENTS = 64, /* shared referents looked at */
    MAX_DEPTH = 3,      /* of objects that an instance owns and that hold what was put into it */
    STOP = 7
};

/* To make the instances that share referents. */
static const double seconds = 0.01;

/* Visits of `sought` by what `self` visits and no fresh instance (`others`) does, and so on. */
static int64_t visits_within(PyObject *self, PyObject *sought, const struct probe_visited *others,
                             int depth)
{
    struct probe_visited visited = {0};
    int64_t found = 0;
    if (depth > MAX_DEPTH || !PyObject_IS_GC(self) || Py_TYPE(self)->tp_traverse == NULL)
        return 0;
    if (probe_visit(self, &visited) < 0) {
        PyErr_Clear();
        return 0;
    }
    for (size_t i = 0; i < visited.count; i++) {
        PyObject *object = visited.object[i];
        if (object == sought || object == self || PyType_Check(object) || PyModule_Check(object) ||
            probe_visited_count(others, object) > 0)
            continue;
        found += probe_visits_of(object, sought) + visits_within(object, sought, others, depth + 1);
    }
    probe_visited_free(&visited);
    return found;
}

/* ---- What instances share ---------------------------------------------------------------------
 */

struct referent {
    PyObject *object; /* borrowed: the type, or held by a living instance */
    int64_t before, owned, visited;
    int64_t within; /* visits by what only the instances hold */
};

struct referents {
    struct referent list[MAX_REFERENTS];
    size_t count;
};

static void add_referent(struct referents *referents, PyObject *object)
{
    for (size_t i = 0; i < referents->count; i++) {
        if (referents->list[i].object == object)
            return;
    }
    if (referents->count < MAX_REFERENTS)
        referents->list[referents->count++].object = object;
}

/* Type and module come first, whether visited or not. */
static int find_shared(struct probe_run *run, PyObject *first, PyObject *second, PyObject *module,
                       struct referents *referents)
{
    add_referent(referents, (PyObject *)run->type);
    if (module != NULL)
        add_referent(referents, module);
    if (!PyType_IS_GC(run->type))
        return 0;
    struct probe_visited one = {0}, other = {0};
    int failed = -1;
    if (probe_visit(first, &one) == 0 && probe_visit(second, &other) == 0) {
        failed = 0;
        for (size_t i = 0; i < one.count; i++) {
            PyObject *object = one.object[i];
            if (PyObject_IS_GC(object) && probe_visited_count(&other, object) > 0)
                add_referent(referents, object);
        }
    }
    probe_visited_free(&one);
    probe_visited_free(&other);
    return failed;
}

/* Makes so many instances and counts what the referents' counts rise by, and their visits. */
static int count_shared(struct probe_run *run, int instances, const struct probe_visited *others,
                        struct referents *referents)
{
    PyObject *sharers[SHARERS] = {NULL};
    int made = 0;
    for (size_t i = 0; i < referents->count; i++)
        referents->list[i].before = probe_refcount(referents->list[i].object);
    while (made < instances && (sharers[made] = probe_make(run)) != NULL)
        made++;
    for (size_t i = 0; i < referents->count; i++) {
        struct referent *referent = &referents->list[i];
        referent->owned = probe_difference(probe_refcount(referent->object), referent->before);
        referent->visited = referent->within = 0;
        for (int j = 0; j < made; j++) {
            referent->visited += probe_visits_of(sharers[j], referent->object);
            if (referent->owned > referent->visited)
                referent->within += visits_within(sharers[j], referent->object, others, 1);
        }
    }
    for (int i = 0; i < made; i++)
        probe_drop(sharers[i]);
    return made == instances ? 0 : -1;
}

static void report_shared(struct probe_visits *seen, int instances,
                          const struct referents *referents, bool has_module)
{
    const struct referent *next = referents->list;
    const struct referent *end = next + referents->count;
    seen->instances = instances;
    seen->type_owned = next->owned;
    seen->type_visited = next->visited;
    seen->type_within = next->within;
    next++;
    if (has_module) {
        seen->module_owned = next->owned;
        seen->module_visited = next->visited;
        seen->module_within = next->within;
        next++;
    }
    seen->shared = end - next;
    seen->shared_over = seen->shared_twice = seen->shared_under = 0;
    for (; next < end; next++) {
        if (next->owned == PROBE_UNSEEN)
            continue;
        seen->shared_over += next->visited > next->owned;
        seen->shared_twice += next->visited > next->owned && next->owned > 0;
        seen->shared_under += next->visited + next->within < next->owned;
    }
}

static int account_shared(struct probe_run *run, struct probe_visits *seen)
{
    const int instances = probe_affordable(run->make_s, FEWEST, SHARERS, seconds);
    probe_step(run, "counting the references of %d instances to what they share", instances);
    struct referents referents = {.count = 0};
    struct probe_visited others = {0};
    PyObject *module = NULL;
    if (run->type->tp_flags & Py_TPFLAGS_HEAPTYPE)
        module = PyType_GetModule(run->type); /* borrowed */
    PyErr_Clear();
    PyObject *first = probe_make(run);
    PyObject *second = first != NULL ? probe_make(run) : NULL;
    int failed = -1;
    /* Twice: what a factory caches on its first calls is no matter of the instances. */
    if (second != NULL && find_shared(run, first, second, module, &referents) == 0 &&
        (!PyType_IS_GC(run->type) || probe_visit(first, &others) == 0) &&
        count_shared(run, instances, &others, &referents) == 0)
        failed = count_shared(run, instances, &others, &referents);
    if (failed == 0)
        report_shared(seen, instances, &referents, module != NULL);
    probe_visited_free(&others);
    probe_drop(second);
    probe_drop(first);
    return failed;
}

/* ---- What is put into slots -------------------------------------------------------------------
 */

static int account_slot(struct probe_run *run, int slot, struct probe_visits_slot *seen)
{
    probe_step(run, "counting the references from slot %s", run->slots[slot].name);
    PyObject *holders[HOLDERS] = {NULL};
    struct probe_visited others = {0};
    int made = 0;
    int failed = -1;
    PyObject *planted = planted_new(&run->planted);
    PyObject *fresh = planted != NULL ? probe_make(run) : NULL;
    if (fresh == NULL || (PyType_IS_GC(run->type) && probe_visit(fresh, &others) < 0))
        goto done;
    /* What keeps the last object that was put somewhere has it from here on. */
    probe_drop(probe_make_with(run, slot, planted));
    PyErr_Clear();
    int64_t before = probe_refcount(planted);
    while (made < HOLDERS && (holders[made] = probe_make_with(run, slot, planted)) != NULL)
        made++;
    failed = 0;
    if (made < HOLDERS) {
        PyErr_Clear(); /* refused: nothing to be seen here */
        goto done;
    }
    int64_t owned = probe_difference(probe_refcount(planted), before);
    if (owned > 0 && owned < HOLDERS)
        goto done; /* not each of them owns one: what they share does, as a cache */
    seen->owned = owned;
    seen->visited = seen->visited_within = 0;
    for (int i = 0; i < HOLDERS; i++) {
        seen->visited += probe_visits_of(holders[i], planted);
        seen->visited_within += visits_within(holders[i], planted, &others, 1);
    }
done:
    probe_visited_free(&others);
    for (int i = 0; i < made; i++)
        probe_drop(holders[i]);
    probe_drop(fresh);
    Py_XDECREF(planted);
    return failed;
}

/* ---- How it traverses -------------------------------------------------------------------------
 */

static int compare_pointers(const void *one, const void *other)
{
    uintptr_t a = (uintptr_t) * (PyObject *const *)one, b = (uintptr_t) * (PyObject *const *)other;
    return a < b ? -1 : a > b;
}

static bool same_visits(struct probe_visited *one, struct probe_visited *other)
{
    if (one->count != other->count)
        return false;
    if (one->count == 0)
        return true;
    qsort(one->object, one->count, sizeof(PyObject *), compare_pointers);
    qsort(other->object, other->count, sizeof(PyObject *), compare_pointers);
    return memcmp(one->object, other->object, one->count * sizeof(PyObject *)) == 0;
}

static void stop_everywhere(PyObject *self, struct probe_visits *seen)
{
    seen->stops_ignored = seen->stops_altered = 0;
    for (int64_t at = 0; at < seen->visits; at++) {
        int64_t calls;
        int returned = probe_visit_until(self, at, STOP, &calls);
        seen->stops_ignored += calls != at + 1;
        seen->stops_altered += returned != STOP;
    }
}

static int ignore(PyObject *Py_UNUSED(object), void *Py_UNUSED(arg))
{
    return 0;
}

/* `one` is what a traversal visits, each object held by the instance. */
static int watch_traversal(struct probe_run *run, PyObject *self, const struct probe_visited *one,
                           struct probe_visits *seen)
{
    Py_ssize_t *counts = calloc(one->count + 1, sizeof *counts);
    if (counts == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    static struct probe_alloc alloc; /* hooks the allocators of this child for good */
    traverseproc traverse = Py_TYPE(self)->tp_traverse;
    probe_alloc_open(&alloc);
    for (size_t i = 0; i < one->count; i++)
        counts[i] = Py_REFCNT(one->object[i]);
    int64_t allocations = alloc.calls;
    traverse(self, ignore, NULL);
    seen->allocations = alloc.calls - allocations;
    seen->raised = probe_exception_drop();
    seen->counts_changed = 0;
    for (size_t i = 0; i < one->count; i++)
        seen->counts_changed += counts[i] != Py_REFCNT(one->object[i]);
    free(counts);
    probe_exception_raise(run);
    traverse(self, ignore, NULL);
    seen->exception_kept = probe_exception_kept(run);
    return 0;
}

static int count_private(PyObject *self, const struct probe_visited *one, struct probe_visits *seen)
{
    seen->private_over = 0;
    for (size_t i = 0; i < one->count; i++) {
        PyObject *object = one->object[i];
        int64_t references = probe_refcount(object);
        if (object == self || references == PROBE_UNSEEN)
            continue;
        bool first = true;
        for (size_t j = 0; j < i; j++)
            first = first && one->object[j] != object;
        seen->private_over += first && probe_visited_count(one, object) > references;
    }
    return 0;
}

/* Asks the collector who refers to the first object that `self` visits, and can see it do. */
static int look_for_referrer(struct probe_run *run, PyObject *self, const struct probe_visited *one,
                             struct probe_visits *seen)
{
    PyObject *held = NULL;
    for (size_t i = 0; i < one->count && held == NULL; i++) {
        if (Py_TYPE(one->object[i]) == run->planted.type)
            held = one->object[i];
    }
    if (held == NULL || !PyObject_GC_IsTracked(self))
        return 0;
    PyObject *referrers = PyObject_CallMethod(run->gc, "get_referrers", "O", held);
    if (referrers == NULL)
        return -1;
    bool found = false;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(referrers); i++)
        found = found || PyList_GET_ITEM(referrers, i) == self;
    seen->referrer_missed = !found;
    Py_DECREF(referrers);
    return 0;
}

static int watch(struct probe_run *run, struct probe_visits *seen)
{
    probe_step(run, "traversing an instance with all slots filled");
    struct probe_visited one = {0}, other = {0};
    int failed = -1;
    PyObject *self = probe_make_filled(run);
    if (self == NULL)
        return -1;
    if (probe_visit(self, &one) < 0 || probe_visit(self, &other) < 0)
        goto done;
    seen->visits = (int64_t)one.count;
    seen->nulls = one.nulls;
    seen->self_visited = probe_visited_count(&one, self);
    seen->self_owned = probe_difference(probe_refcount(self), 1);
    failed = count_private(self, &one, seen) < 0 || watch_traversal(run, self, &one, seen) < 0;
    seen->repeatable = same_visits(&one, &other);
    probe_step(run, "traversing with a visitor that stops it");
    stop_everywhere(self, seen);
    if (!failed)
        failed = look_for_referrer(run, self, &one, seen) < 0;
done:
    probe_visited_free(&one);
    probe_visited_free(&other);
    probe_drop(self);
    return failed ? -1 : 0;
}

static int body(struct probe_run *run)
{
    struct probe_visits *seen = run->seen;
    seen->have_gc = PyType_IS_GC(run->type) != 0;
    seen->heap_type = (run->type->tp_flags & Py_TPFLAGS_HEAPTYPE) != 0;
    if (account_shared(run, seen) < 0)
        return -1;
    for (int i = 0; i < run->slot_count; i++) {
        if (account_slot(run, i, &seen->slot[i]) < 0)
            return -1;
    }
    return PyType_IS_GC(run->type) ? watch(run, seen) : 0;
}

static const struct probe_field fields[] = {PROBE_VISITS(PROBE_FIELD)};
static const struct probe_field slot_fields[] = {PROBE_VISITS_SLOT(PROBE_FIELD)};

const struct probe probe_visits = {
    .name = "visits",
    .doc = "What tp_traverse visits, against what the instance owns.",
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .slot_fields = slot_fields,
    .slot_field_count = sizeof slot_fields / sizeof *slot_fields,
    .body = body,
};
