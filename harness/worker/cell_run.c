#include "cell_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "interp.h"
#include "target_kinds.h"
#include "variant.h"

/* ---- What a row says before anything is measured --------------------------------------------- */

static void run_describe(struct cell_run *run)
{
    struct record *row = run->row;

    record_set_text(row, CELLS_python_version, interp_version());
    record_set_text(row, CELLS_python_build, interp_build());
    record_set_text(row, CELLS_linkage, GCTAX_LINKAGE);
    record_set_text(row, CELLS_python_compiler, interp_compiler());
    record_set_text(row, CELLS_ext_compiler, GCTAX_EXT_COMPILER);
    record_set_text(row, CELLS_libc, interp_libc());
    cell_record(run->cell, row);
    record_set_text(row, CELLS_active_allocator, run->allocator);
    record_set_count(row, CELLS_hash_seed, run->request->hash_seed);
    record_set_text(row, CELLS_trigger,
                    !run->automatic          ? "none"
                    : interp_release() >= 12 ? "safepoint"
                                             : "allocation");
}

static void run_describe_target(struct cell_run *run)
{
    struct record *row = run->row;
    PyTypeObject *type = run->target.type;

    record_set_text(row, CELLS_target_call, run->target.call);
    record_set_text(row, CELLS_target_gc, run->target.has_gc ? "yes" : "no");
    if (type == NULL)
        return;
    PyObject *module = PyObject_GetAttrString((PyObject *)type, "__module__");
    PyObject *name = PyObject_GetAttrString((PyObject *)type, "__qualname__");
    PyObject *both =
        module == NULL || name == NULL ? NULL : PyUnicode_FromFormat("%S.%S", module, name);
    const char *text = both == NULL ? NULL : PyUnicode_AsUTF8(both);
    record_set_text(row, CELLS_target_type, text == NULL ? type->tp_name : text);
    PyErr_Clear();
    Py_XDECREF(module);
    Py_XDECREF(name);
    Py_XDECREF(both);
}

/* Status and detail, for all that is not well. */
static void run_end(struct cell_run *run, const char *status, const char *detail)
{
    record_set_text(run->row, CELLS_status, status);
    record_set_text(run->row, CELLS_detail, detail);
}

static void run_end_exception(struct cell_run *run, const char *phase)
{
    char detail[1024], prefix[64];

    snprintf(prefix, sizeof prefix, "%s: ", phase);
    target_fail_exception(detail, sizeof detail, prefix);
    run_end(run, "error", detail);
}

/* ---- Before the passes ----------------------------------------------------------------------- */

/* Opens the target; false where that ended the cell. */
static bool run_open_target(struct cell_run *run, const struct variant_table *table)
{
    char why[1024];
    enum target_result result =
        target_open(&run->target, run->cell, table, run->request->venv, why, sizeof why);

    target_open_null(&run->null);
    if (result != TARGET_OK) {
        run_end(run, result == TARGET_SKIPPED ? "skipped" : "error", why);
        return false;
    }
    run_describe_target(run);
    return true;
}

/* Can this cell be run here? NULL, or the reason why not. */
static const char *run_refuses(const struct cell_run *run)
{
    const struct target *target = &run->target;

    if (run->workload->row->links && !target->is_null) {
        if (target->link == NULL)
            return "instances of this target cannot hold each other (--link STMT says how)";
        if (target->unlink == NULL && !target->has_gc)
            return "the type has no GC, and nothing is known that breaks a cycle of its instances";
    }
    if (run->workload->row->two_links && !target->is_null && target->link_at == NULL)
        return "instances of this target have one place to hold another, or a second is not known";
    if (run->workload->row->explicit_only && strcmp(run->cell->gc_mode, "frozen") == 0)
        return "gc_mode frozen: the heap is made after the freeze, and collected by itself";
    if (run->workload->refuses != NULL && run->workload->refuses(target) != NULL)
        return run->workload->refuses(target);
    if (strcmp(run->cell->arena, "prefault") == 0) {
        if (interp_free_threaded())
            return "arena prefault: a free-threaded build has no arenas (mimalloc)";
        if (strcmp(run->allocator, "pymalloc") != 0)
            return "arena prefault: needs the allocator pymalloc";
    }
    return NULL;
}

static int run_map_slots(struct cell_run *run)
{
    run->work.slot_count = run->workload->slots == NULL ? 0 : run->workload->slots(run->cell);
    if (run->work.slot_count == 0)
        return 0;
    run->work.slots = memory_map(run->work.slot_count * sizeof *run->work.slots);
    if (run->work.slots == NULL)
        PyErr_NoMemory();
    return run->work.slots == NULL ? -1 : 0;
}

static int run_compare(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* The state that the passes start from: settled, counted, and what a collection of it takes. */
static int run_known_start(struct cell_run *run)
{
    enum { COLLECTIONS = 5 };
    uint64_t tracked, ticks[COLLECTIONS];
    int64_t count0;

    if (collector_settle(&run->collector) < 0 || collector_count0(&run->collector, &count0) < 0)
        return -1;
    for (int i = 0; i < COLLECTIONS; i++) {
        uint64_t begin = stopwatch_begin(run->stopwatch);
        if (collector_collect(&run->collector, 2, NULL) < 0)
            return -1;
        ticks[i] = stopwatch_end(run->stopwatch) - begin;
    }
    if (collector_tracked(&run->collector, &tracked) < 0)
        return -1;
    qsort(ticks, COLLECTIONS, sizeof ticks[0], run_compare);
    record_set_count(run->row, CELLS_start_tracked_objects, tracked);
    record_set_real(run->row, CELLS_start_count0, (double)count0);
    record_set_real(run->row, CELLS_start_pause_ns,
                    (double)ticks[COLLECTIONS / 2] * stopwatch_ns_per_tick(run->stopwatch));
    return 0;
}

static int run_prepare(struct cell_run *run)
{
    if (run_map_slots(run) < 0)
        return -1;
    run->histogram = malloc(sizeof *run->histogram);
    if (run->histogram == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    if (strcmp(run->cell->arena, "prefault") == 0 && pass_prefault(run) < 0)
        return -1;
    return pass_warmup(run) < 0 ? -1 : run_known_start(run);
}

/* ---- The cell -------------------------------------------------------------------------------- */

static int run_open(struct cell_run *run, struct record *row, struct report *report,
                    const struct stopwatch *stopwatch, const struct cell_request *request)
{
    const char *mode = request->cell.gc_mode;

    *run = (struct cell_run){
        .request = request,
        .cell = &request->cell,
        .workload = workload_find(request->cell.workload),
        .stopwatch = stopwatch,
        .report = report,
        .row = row,
        .allocator = interp_active_allocator(),
        .automatic = strcmp(mode, "on") == 0 || strcmp(mode, "frozen") == 0,
        .hook_cost_ns = NAN,
    };
    record_init(row, RECORD_CELLS);
    run_describe(run);
    run->work.cell = run->cell;
    run->work.stopwatch = stopwatch;
    run->work.collector = &run->collector;
    if (collector_open(&run->collector) == 0 &&
        collector_thresholds(&run->collector, run->default_thresholds) == 0)
        return 0;
    run_end_exception(run, "start");
    return -1;
}

static void run_close(struct cell_run *run)
{
    report_row(run->report, run->row);
    record_free(run->row);
    if (run->work.slots != NULL)
        munmap(run->work.slots, run->work.slot_count * sizeof *run->work.slots);
    free(run->histogram);
    gchook_close(&run->hook);
    target_close(&run->target);
    target_close(&run->null);
    collector_close(&run->collector);
}

void cell_preflight(struct report *report, const struct stopwatch *stopwatch,
                    const struct cell_request *request, const struct variant_table *table)
{
    struct cell_run run;
    struct record row;

    if (run_open(&run, &row, report, stopwatch, request) == 0)
        run_open_target(&run, table);
    run_close(&run);
}

static void run_passes(struct cell_run *run)
{
    static const struct {
        const char *name;
        int (*pass)(struct cell_run *run);
    } phases[] = {
        {"warmup", run_prepare}, {"timing", pass_timing},   {"latency", pass_latency},
        {"pauses", pass_pauses}, {"garbage", pass_garbage}, {"memory", pass_memory},
    };

    for (size_t i = 0; i < sizeof phases / sizeof phases[0]; i++) {
        report_phase(run->report, phases[i].name);
        if (phases[i].pass(run) < 0) {
            run_end_exception(run, phases[i].name);
            return;
        }
    }
}

void cell_run(struct report *report, const struct stopwatch *stopwatch,
              const struct cell_request *request, const struct variant_table *table)
{
    struct cell_run run;
    struct record row;

    if (run_open(&run, &row, report, stopwatch, request) == 0) {
        report_phase(report, "target");
        if (run_open_target(&run, table)) {
            const char *reason = run_refuses(&run);
            if (reason != NULL)
                run_end(&run, "skipped", reason);
            else
                run_passes(&run);
        }
        double ns = stopwatch_ns_per_tick(stopwatch);
        record_set_text(&row, CELLS_clock, stopwatch_name(stopwatch));
        record_set_real(&row, CELLS_clock_cost_ns, (double)stopwatch_cost_ticks(stopwatch) * ns);
        record_set_real(&row, CELLS_clock_step_ns, (double)stopwatch_step_ticks(stopwatch) * ns);
    }
    run_close(&run);
}
