#include "pycompat.h"

#include "probe_reentry.h"
#include "probe_run.h"

enum {
    /* Free-threaded builds hand a thread's allocations to the collector's counter in batches of
     * 512: with fewer between two steps nothing runs there, and the counter has no phase. */
    BALLAST = GCTAX_FREE_THREADED ? 600 : 1,
    ROUNDS = 2, /* without and with cycles; at threshold 1 in each phase, and again */
    PHASES = 2,
    ROUNDS_AUTOMATIC = GCTAX_FREE_THREADED ? ROUNDS : 2 * PHASES * ROUNDS
};

/* What happens at each step of a round, and inside its members. */
struct kind {
    const char *name;
    bool automatic;  /* threshold 1, a safe point after each step */
    bool explicit;   /* a full collection after each step */
    bool finalizers; /* members collect as they are finalized */
    bool deaths;     /* members collect as they are deallocated */
};

struct round {
    struct probe_run *run;
    const struct kind *kind;
    PyObject *ballast[BALLAST]; /* GC objects that live from step to step */
    int64_t inside;             /* collections that members called for */
};

/* Lets the collector run where `kind` says. 0, or -1 with an exception. */
static int between_steps(struct round *round)
{
    if (round->kind->explicit)
        return probe_collect(round->run) < 0 ? -1 : 0;
    if (!round->kind->automatic)
        return 0;
    for (int i = 0; i < BALLAST; i++) {
        Py_XDECREF(round->ballast[i]);
        round->ballast[i] = NULL;
    }
    for (int i = 0; i < BALLAST; i++) {
        round->ballast[i] = PyList_New(0);
        if (round->ballast[i] == NULL)
            return -1;
    }
    return PyErr_CheckSignals();
}

static void collect_inside(PyObject *Py_UNUSED(planted), void *context)
{
    struct round *round = context;
    round->inside += probe_collect(round->run) >= 0;
}

/* A new member that collects when it goes, where the kind says so. */
static PyObject *make_member(struct round *round)
{
    PyObject *planted = planted_new(&round->run->planted);
    if (planted == NULL)
        return NULL;
    ((struct planted *)planted)->context = round;
    ((struct planted *)planted)->on_finalize = round->kind->finalizers ? collect_inside : NULL;
    ((struct planted *)planted)->on_dealloc = round->kind->deaths ? collect_inside : NULL;
    return planted;
}

/* An instance with a member in slot 0 that may be filled at construction alone, or empty. */
static PyObject *begin(struct round *round)
{
    struct probe_run *run = round->run;
    if (run->slot_count == 0 || run->slots[0].put != NULL)
        return probe_make(run);
    PyObject *member = make_member(round);
    PyObject *self = member != NULL ? probe_make_with(run, 0, member) : NULL;
    Py_XDECREF(member);
    return self;
}

/* Puts a member into the slot, and another in its place; they link to the instance for the
 * collector to find, where `cyclic`. */
static int fill(struct round *round, int slot, PyObject *self, bool cyclic)
{
    for (int times = 0; times < 2; times++) {
        PyObject *member = make_member(round);
        if (member == NULL || between_steps(round) < 0) {
            Py_XDECREF(member);
            return -1;
        }
        int put = probe_put(round->run, slot, self, member);
        if (put > 0 && cyclic)
            planted_link(member, self);
        Py_DECREF(member);
        if (put < 0 || between_steps(round) < 0)
            return -1;
        if (put == 0)
            return 0;
    }
    return 0;
}

static int run_round(struct round *round, bool cyclic)
{
    struct probe_run *run = round->run;
    probe_step(run, "making an instance, %s", round->kind->name);
    PyObject *self = begin(round);
    if (self == NULL || between_steps(round) < 0)
        goto failed;
    for (int i = 0; i < run->slot_count; i++) {
        probe_step(run, "putting into slot %s, %s", run->slots[i].name, round->kind->name);
        if (fill(round, i, self, cyclic) < 0)
            goto failed;
    }
    probe_step(run, "%s an instance, %s", cyclic ? "dropping a cycle of" : "destroying",
               round->kind->name);
    Py_CLEAR(self);
    if (between_steps(round) < 0)
        goto failed;
    return cyclic && probe_collect(run) < 0 ? -1 : 0;
failed:
    probe_drop(self);
    return -1;
}

/* threshold 0: automatic collections are off. */
static int set_threshold(struct probe_run *run, int threshold)
{
    PyObject *set = PyObject_CallMethod(run->gc, "set_threshold", "iii", threshold, 1, 1);
    PyObject *switched =
        set != NULL ? PyObject_CallMethod(run->gc, threshold ? "enable" : "disable", NULL) : NULL;
    int failed = switched == NULL ? -1 : 0;
    Py_XDECREF(switched);
    Py_XDECREF(set);
    return failed;
}

/* All rounds of one kind: collections that ran in *collections, and inside members in *inside. */
static int run_kind(struct probe_run *run, const struct kind *kind, int64_t *collections,
                    int64_t *inside)
{
    static struct round round; /* members that are left keep a pointer to it */
    round = (struct round){.run = run, .kind = kind};
    PyObject *phase = NULL;
    int failed = -1;
    int64_t before = probe_collections(run);
    if (before < 0 || (kind->automatic && set_threshold(run, 1) < 0))
        return -1;
    int rounds = kind->automatic ? ROUNDS_AUTOMATIC : ROUNDS;
    for (int i = 0; i < rounds; i++) {
        /* At threshold 1 each second allocation collects: an object more shifts which. */
        if (kind->automatic && i / ROUNDS % PHASES == 1 && (phase = PyList_New(0)) == NULL)
            goto done;
        if (run_round(&round, i % 2 == 1) < 0)
            goto done;
        Py_CLEAR(phase);
    }
    failed = 0;
done:
    Py_XDECREF(phase);
    for (int i = 0; i < BALLAST; i++)
        Py_CLEAR(round.ballast[i]);
    int64_t after = failed ? -1 : probe_collections(run);
    if (after < 0 || (kind->automatic && set_threshold(run, 0) < 0))
        return -1;
    *collections = after - before;
    *inside = round.inside;
    return 0;
}

static int body(struct probe_run *run)
{
    static const struct kind automatic = {"the collector at threshold 1", .automatic = true};
    static const struct kind explicit = {"a collection after each step", .explicit = true};
    static const struct kind finalizers = {"members that collect when finalized",
                                           .finalizers = true};
    static const struct kind deaths = {"members that collect when deallocated", .deaths = true};
    struct probe_reentry *seen = run->seen;
    int64_t before = run->planted.alive, unused;
    if (run_kind(run, &automatic, &seen->automatic, &unused) < 0 ||
        run_kind(run, &explicit, &seen->explicit, &unused) < 0 ||
        run_kind(run, &finalizers, &unused, &seen->inside_finalizers) < 0 ||
        run_kind(run, &deaths, &unused, &seen->inside_deaths) < 0)
        return -1;
    seen->rounds = ROUNDS_AUTOMATIC;
    probe_step(run, "collecting what is left");
    if (probe_collect_all(run) < 0)
        return -1;
    seen->planted_left = run->planted.alive - before;
    seen->swallowed = probe_unraisable(run);
    return 0;
}

static const struct probe_field fields[] = {PROBE_REENTRY(PROBE_FIELD)};

const struct probe probe_reentry = {
    .name = "reentry",
    .doc = "The collector runs at each step, in both phases of its counter, and inside members.",
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .body = body,
};
