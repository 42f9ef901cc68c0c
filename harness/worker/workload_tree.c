/* tree: the shape of Boehm's GCBench. A balanced binary tree of `live` nodes stays; beside it trees
 * of `depth` levels below the root (2^(depth+1) - 1 nodes) are made and dropped until a batch has
 * made n nodes, every second one top down (parents first) and the others bottom up (children
 * first). No tree has a cycle: each dies with its last reference, and whatever the collector does
 * is in vain. A node is a node with a link to each child; recursion is as deep as the tree.
 *
 * Making is the alloc lap and dropping the dealloc lap, by the node; the clock is read twice a tree
 * for each, which at 2 or 3 levels is no longer little. The operation that is timed on its own is a
 * whole tree, made and dropped. */
#include "cell.h"
#include "work.h"
#include "work_slots.h"

/* A sample makes no more nodes than this. */
#define TREE_SAMPLE_MOST (UINT64_C(1) << 24)
/* 2^31 nodes: more than fit into any memory that there is. */
enum { TREE_DEPTH_MOST = 30 };

static inline PyObject *tree_node(struct work *work)
{
    PyObject *node = work->target->make(work->target);
    if (node == NULL)
        return NULL;
    work->made++;
    if (work_tick(work) == 0)
        return node;
    Py_DECREF(node);
    return NULL;
}

/* Takes the reference to `child`, which lives on in the node (as None does without any). */
static inline int tree_adopt(const struct target *target, PyObject *node, int place,
                             PyObject *child)
{
    int failed = target->link_at == NULL ? 0 : target->link_at(target, node, place, child);
    Py_DECREF(child);
    return failed;
}

/* Gives `node` its descendants, `size` nodes less itself. 0, or -1 with an exception. */
static int tree_populate(struct work *work, PyObject *node, uint64_t size)
{
    for (int place = 0; place < 2; place++) {
        uint64_t below = place == 0 ? size / 2 : (size - 1) / 2;
        if (below == 0)
            continue;
        PyObject *child = tree_node(work);
        if (child == NULL)
            return -1;
        if (tree_adopt(work->target, node, place, child) < 0 ||
            tree_populate(work, child, below) < 0)
            return -1;
    }
    return 0;
}

/* A tree of `size` nodes, children first (new reference), or NULL with an exception. */
static PyObject *tree_make(struct work *work, uint64_t size)
{
    uint64_t below[2] = {size / 2, (size - 1) / 2};
    PyObject *children[2] = {NULL, NULL}, *node = NULL;
    for (int place = 0; place < 2; place++)
        if (below[place] > 0 && (children[place] = tree_make(work, below[place])) == NULL)
            goto failed;
    node = tree_node(work);
    for (int place = 0; place < 2 && node != NULL; place++) {
        PyObject *child = children[place];
        children[place] = NULL;
        if (child != NULL && tree_adopt(work->target, node, place, child) < 0)
            Py_CLEAR(node);
    }
failed:
    Py_XDECREF(children[0]);
    Py_XDECREF(children[1]);
    return node;
}

static PyObject *tree_make_down(struct work *work, uint64_t size)
{
    PyObject *root = tree_node(work);
    if (root != NULL && tree_populate(work, root, size) < 0)
        Py_CLEAR(root);
    return root;
}

static uint64_t tree_size(const struct cell *cell)
{
    return (UINT64_C(2) << cell->depth) - 1;
}

static size_t tree_slots(const struct cell *Py_UNUSED(cell))
{
    return 1; /* the tree that stays */
}

static int tree_start(struct work *work)
{
    work_slots_begin(work);
    if (work->cell->depth > TREE_DEPTH_MOST) {
        PyErr_Format(PyExc_ValueError, "a tree has at most %d levels", TREE_DEPTH_MOST);
        return -1;
    }
    work->slots[0] = tree_make(work, work->cell->live);
    return work->slots[0] == NULL ? -1 : 0;
}

static int tree_batch(struct work *work, struct laps *laps)
{
    uint64_t size = tree_size(work->cell), trees = (work->cell->n + size - 1) / size;
    uint64_t made = 0, freed = 0;
    for (uint64_t tree = 0; tree < trees; tree++) {
        uint64_t begin = stopwatch_begin(work->stopwatch);
        PyObject *root = tree % 2 == 0 ? tree_make(work, size) : tree_make_down(work, size);
        uint64_t end = stopwatch_end(work->stopwatch);
        if (root == NULL)
            return -1;
        made += end - begin;
        begin = stopwatch_begin(work->stopwatch);
        Py_DECREF(root);
        freed += stopwatch_end(work->stopwatch) - begin;
        work->freed += size;
    }
    work_lap_both(laps, trees * size, made, trees * size, freed);
    return 0;
}

static int tree_sample(struct work *work, uint64_t count, struct histogram *histogram)
{
    uint64_t size = tree_size(work->cell), most = TREE_SAMPLE_MOST / size;
    if (count > most)
        count = most == 0 ? 1 : most;
    for (uint64_t tree = 0; tree < count; tree++) {
        uint64_t begin = stopwatch_begin(work->stopwatch);
        PyObject *root = tree % 2 == 0 ? tree_make(work, size) : tree_make_down(work, size);
        if (root == NULL)
            return -1;
        Py_DECREF(root);
        histogram_record(histogram, stopwatch_end(work->stopwatch) - begin);
        work->freed += size;
    }
    return 0;
}

/* Without a collection: nothing but the tree that stays is alive. */
static int tree_verify(struct work *work)
{
    if (work_slots_verify(work, 1) < 0)
        return -1;
    return work_slots_verify_alive(work, work->cell->live);
}

static void tree_stop(struct work *work)
{
    work_slots_clear(work);
}

const struct workload workload_tree = {
    .row = &workload_row_tree,
    .slots = tree_slots,
    .start = tree_start,
    .batch = tree_batch,
    .sample = tree_sample,
    .verify = tree_verify,
    .stop = tree_stop,
};
