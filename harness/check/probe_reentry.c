#include "pycompat.h"

#include "probe_reentry.h"
#include "probe_run.h"

enum {
    /* Below 0: each allocation of a GC object asks for a collection. The older generations follow
     * as soon as they may, each third time: an object more shifts which. */
    THRESHOLD = -(1 << 30),
    OLDER_THRESHOLD = 0,
    PHASES = GCTAX_FREE_THREADED ? 2 : 3,
    ROUNDS = 2, /* without and with cycles, in each phase */
    /* Such objects that are made between two steps. Free-threaded builds have no generations, and
     * ask for a collection as a thread has made 512 more than it has freed: at each step, and in
     * the other phase, with one less, as the step makes its first. */
    BALLAST = GCTAX_FREE_THREADED ? 512 : 1
};

/* What happens at each step of a round, and inside its members. */
struct kind {
    const char *name;
    bool automatic;  /* allocations ask for a collection, a safe point after each step */
    bool explicit;   /* a full collection after each step */
    bool finalizers; /* members collect as they are finalized */
    bool deaths;     /* members collect as they are deallocated */
};

struct round {
    struct probe_run *run;
    const struct kind *kind;
    int phase;
    PyObject *ballast[BALLAST]; /* they live from step to step */
    int64_t rounds, steps;      /* that were completed; steps if automatic */
    int64_t inside;             /* collections that members called for */
};

/* A GC object of a type without a free list, which would hide it from the counter. */
static PyObject *new_counted(void)
{
    return PyCell_New(NULL);
}

static void drop_ballast(struct round *round)
{
    for (int i = 0; i < BALLAST; i++)
        Py_CLEAR(round->ballast[i]);
}

/* Free-threaded builds hand a thread's count over as they are asked for the sum: it is 0 then. The
 * tuple that says so is counted unless it is from a free list: the second one is the first. */
static int clear_count(struct probe_run *run)
{
    for (int i = 0; GCTAX_FREE_THREADED && i < 2; i++) {
        PyObject *count = PyObject_CallMethod(run->gc, "get_count", NULL);
        if (count == NULL)
            return -1;
        Py_DECREF(count);
    }
    return 0;
}

/* Lets the collector run where `kind` says. 0, or -1 with an exception. */
static int between_steps(struct round *round)
{
    if (round->kind->explicit)
        return probe_collect(round->run) < 0 ? -1 : 0;
    if (!round->kind->automatic)
        return 0;
    round->steps++;
    drop_ballast(round);
    if (clear_count(round->run) < 0)
        return -1;
    const int made = GCTAX_FREE_THREADED ? BALLAST - round->phase : BALLAST;
    for (int i = 0; i < made; i++) {
        round->ballast[i] = new_counted();
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

static int set_automatic(struct probe_run *run, bool on)
{
    PyObject *set = PyObject_CallMethod(run->gc, "set_threshold", "iii", on ? THRESHOLD : 0,
                                        OLDER_THRESHOLD, OLDER_THRESHOLD);
    PyObject *switched =
        set != NULL ? PyObject_CallMethod(run->gc, on ? "enable" : "disable", NULL) : NULL;
    int failed = switched == NULL ? -1 : 0;
    Py_XDECREF(switched);
    Py_XDECREF(set);
    return failed;
}

static int run_phases(struct round *round)
{
    const int phases = round->kind->automatic ? PHASES : 1;
    PyObject *shift[PHASES] = {NULL};
    int failed = 0;
    for (int i = 0; i < phases && !failed; i++) {
        round->phase = i;
        if (i > 0 && (shift[i] = new_counted()) == NULL)
            failed = -1;
        for (int j = 0; j < ROUNDS && !failed; j++) {
            failed = run_round(round, j == 1);
            round->rounds += !failed;
        }
    }
    for (int i = 0; i < PHASES; i++)
        Py_XDECREF(shift[i]);
    drop_ballast(round);
    return failed;
}

/* All rounds of one kind, noted in *round. The collections that ran, or -1 with an exception. */
static int64_t run_kind(struct probe_run *run, const struct kind *kind, struct round *round)
{
    *round = (struct round){.run = run, .kind = kind};
    int64_t before = probe_collections(run);
    if (before < 0 || (kind->automatic && set_automatic(run, true) < 0) || run_phases(round) < 0)
        return -1;
    int64_t after = probe_collections(run);
    if (after < 0 || (kind->automatic && set_automatic(run, false) < 0))
        return -1;
    return after - before;
}

static int body(struct probe_run *run)
{
    static const struct kind automatic = {"allocations asking for collections", .automatic = true};
    static const struct kind explicit = {"a collection after each step", .explicit = true};
    static const struct kind finalizers = {"members that collect when finalized",
                                           .finalizers = true};
    static const struct kind deaths = {"members that collect when deallocated", .deaths = true};
    static struct round round; /* members that are left keep a pointer to it */
    struct probe_reentry *seen = run->seen;
    int64_t before = run->planted.alive;
    seen->automatic = run_kind(run, &automatic, &round);
    if (seen->automatic < 0)
        return -1;
    seen->rounds = round.rounds;
    seen->steps = round.steps;
    /* Without generations the automatic collections of the first phase are these. */
    if (!GCTAX_FREE_THREADED && (seen->explicit = run_kind(run, &explicit, &round)) < 0)
        return -1;
    if (run_kind(run, &finalizers, &round) < 0)
        return -1;
    seen->inside_finalizers = round.inside;
    if (run_kind(run, &deaths, &round) < 0)
        return -1;
    seen->inside_deaths = round.inside;
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
    .doc = "The collector runs at each step, as objects are allocated, and inside members.",
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .body = body,
};
