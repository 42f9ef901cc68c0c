/* The plan: which cells options make, their order, shards, skips, and the machine's limits. */
#include "plan.h"
#include "run.h"
#include "select.h"
#include "sysinfo.h"
#include "tables.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define ARGUMENTS_MAX 12

static const struct plan_limits no_limits = {UINT64_MAX, NULL, 0};

/* Reads options and expands them; fails the test where they are wrong. */
static void expand(struct plan *plan, const char *const *arguments,
                   const struct plan_limits *limits)
{
    const char *argv[ARGUMENTS_MAX + 2] = {"run"};
    struct options options;
    int argc = 1;
    for (; *arguments; arguments++)
        argv[argc++] = *arguments;
    assert_int_equal(options_read(&options, argc, argv), EXIT_WELL);
    assert_int_equal(plan_check(&options), EXIT_WELL);
    *plan = (struct plan){0};
    assert_int_equal(plan_expand(plan, &options, limits), EXIT_WELL);
    options_free(&options);
}

static const struct {
    size_t cells;
    const char *arguments[ARGUMENTS_MAX];
} counts[] = {
    {1, {"--variants=gc1", "--workloads=churn"}},
    {1, {"--variants=gc1,gc1", "--workloads=churn", "--n=5,5"}},
    {16, {"--variants=plain,gc", "--workloads=churn"}},
    {2, {"--variants=size=8,kind=heap,gc8,plain8,gc1", "--workloads=churn"}},
    {2, {"--variants=gc1", "--workloads=churn", "--gc=on,off"}},
    /* thresholds: with automatic collections of a workload that retains, and nowhere else */
    {3, {"--variants=gc1", "--workloads=ring", "--gc=on,off", "--threshold0=100,700"}},
    {4, {"--variants=gc1", "--workloads=ring", "--gc=on,frozen", "--threshold0=100,700"}},
    {1, {"--variants=gc1", "--workloads=replace", "--gc=manual", "--collect-every=100"}},
    {2,
     {"--variants=gc1", "--workloads=replace", "--gc=on,manual", "--collect-every=100",
      "--threshold0=5"}},
    /* heap: explicit collections only, both orders */
    {2, {"--variants=gc1", "--workloads=heap", "--live=10"}},
    {6, {"--variants=gc1", "--workloads=heap", "--live=10,20,30"}},
    {1, {"--variants=gc1", "--workloads=heap", "--live=10", "--heap-order=aged"}},
    {3, {"--variants=gc1", "--workloads=churn,heap", "--live=10", "--gc=on"}},
    /* targets instead of variants, or besides them */
    {1, {"--target=m:f", "--workloads=churn"}},
    {2, {"--target=m:f", "--target=null", "--workloads=churn"}},
    {2, {"--target=m:f", "--variants=gc1", "--workloads=churn"}},
    {1, {"--target=list", "--workloads=churn"}},
    {3, {"--target=m:f", "--workloads=retain", "--free-order=fifo,lifo,random", "--gc=on"}},
    {2, {"--target=m:f", "--workloads=churn", "--arena=native,prefault"}},
};

static void test_counts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct plan plan;
        expand(&plan, counts[i].arguments, &no_limits);
        if (plan.count != counts[i].cells)
            fail_msg("row %zu: %zu cells, not %zu", i, plan.count, counts[i].cells);
        plan_free(&plan);
    }
}

static const char *const wrong[][ARGUMENTS_MAX] = {
    {"--preset=quikc"},
    {"--variants=gcc9"},
    {"--variants=colector=yes"},
    {"--variants=collector=maybe"},
    {"--variants=collector=no,gc1"},
    {"--variants="},
    {"--workloads=chrun"},
    {"--target=gc9"},
    {"--target=gc1", "--n=0"},
    {"--n=-5"},
    {"--n=5x"},
    {"--n=1e30"},
    {"--n=10,,20"},
    {"--gc=on,of"},
    {"--cycle-percent=101"},
    {"--repeat=0"},
    {"--shard=0/4"},
    {"--shard=5/4"},
    {"--shard=1/4x"},
    {"--timeout=-1"},
    {"--timeout=5d"},
    {"--memory-limit=0"},
    {"--memory-limit=4X"},
    {"--pin=all"},
    {"--seed=x"},
    {"--make=f()"},
    {"--make=f(\n)", "--target=m:f"},
    {"extra"},
    {"--nonsense"},
};

static void test_bad_input(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const char *argv[ARGUMENTS_MAX + 2] = {"run"};
        struct options options;
        int argc = 1;
        for (const char *const *word = wrong[i]; *word; word++)
            argv[argc++] = *word;
        enum exit_code code = options_read(&options, argc, argv);
        if (code == EXIT_WELL)
            code = plan_check(&options);
        if (code != EXIT_USAGE)
            fail_msg("%s: exit %d, not 2", wrong[i][0], code);
        options_free(&options);
    }
}

/* A list that no cell takes would be silently ignored. */
static void test_unused_list_is_refused(void **state)
{
    (void)state;
    const char *argv[] = {"run", "--variants=gc1", "--workloads=churn", "--live=10"};
    struct options options;
    struct plan plan = {0};
    assert_int_equal(options_read(&options, 4, argv), EXIT_WELL);
    assert_int_equal(plan_check(&options), EXIT_WELL);
    assert_int_equal(plan_expand(&plan, &options, &no_limits), EXIT_USAGE);
    plan_free(&plan);
    options_free(&options);
}

static const struct {
    const char *threshold0, *asked;
    uint64_t set;
} safepoints[] = {
    {"--threshold0=700", "--safepoint=1", 1},      {"--threshold0=700", "--safepoint=1000", 21},
    {"--threshold0=2000", "--safepoint=1000", 62}, {"--threshold0=2000", "--safepoint=60", 60},
    {"--threshold0=31", "--safepoint=1000", 1},    {"--threshold0=0", "--safepoint=10", 1},
    {"--threshold0=700", "--safepoint=none", 0},   {"--gc=on", "--safepoint=1000", 21},
};

static void test_safepoint_cap(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof safepoints / sizeof *safepoints; i++) {
        const char *arguments[] = {"--variants=gc1", "--workloads=ring", safepoints[i].threshold0,
                                   safepoints[i].asked, NULL};
        struct plan plan;
        expand(&plan, arguments, &no_limits);
        assert_int_equal(plan.cells[0].cell.safepoint_every, safepoints[i].set);
        plan_free(&plan);
    }
}

static const struct {
    uint64_t memory;
    struct plan_trial trial;
    const char *target, *n;
    uint64_t expected;
} fits[] = {
    {UINT64_MAX, {"m:f", 0, 0}, "--target=m:f", NULL, 50000},
    {UINT64_C(1) << 30, {"m:f", 300000, 0}, "--target=m:f", NULL, 200},
    {UINT64_C(64) << 20, {"m:f", 300000, 0}, "--target=m:f", NULL, 100},
    {UINT64_C(1) << 30, {"m:f", 300000, 0}, "--target=m:f", "--n=40000", 40000},
    {UINT64_C(64) << 20, {"m:f", 0, 0}, "--target=gc1", NULL, 50000},
    {UINT64_C(4) << 20, {"m:f", 0, 0}, "--target=gc1", NULL, 20000},
    {UINT64_MAX, {"m:f", 0, 1000}, "--target=m:f", NULL, 50000},
    {UINT64_MAX, {"m:f", 0, 80000}, "--target=m:f", NULL, 5000},
    {UINT64_MAX, {"m:f", 0, 90000}, "--target=m:f", NULL, 500},
    {UINT64_MAX, {"m:f", 0, 90000}, "--target=gc1", NULL, 50000},
    {UINT64_MAX, {"m:f", 0, 90000}, "--target=m:f", "--n=50000", 50000},
    /* what is retained at a workload's own size stays within PLAN_RETAINED_BYTES */
    {UINT64_MAX, {"m:f", 0, 0}, "--target=gc64", NULL, 50000},
    {UINT64_MAX, {"m:f", 0, 0}, "--target=gc_var512", NULL, 20000},
    {UINT64_MAX, {"m:f", 0, 0}, "--target=plain_var1024", NULL, 10000},
    {UINT64_MAX, {"m:f", 0, 0}, "--target=plain_var1024", "--n=50000", 50000},
    /* one slow target does not shrink another's cells */
    {UINT64_MAX, {"m:f", 300000, 90000}, "--target=m:g", NULL, 50000},
};

static void test_sizes_fit(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof fits / sizeof *fits; i++) {
        const char *arguments[] = {
            fits[i].target,      "--workloads=retain", "--preset=sweep", "--gc=on",
            "--free-order=fifo", "--arena=native",     fits[i].n,        NULL};
        const struct plan_limits limits = {fits[i].memory, &fits[i].trial, 1};
        struct plan plan;
        expand(&plan, arguments, &limits);
        if (plan.cells[0].cell.n != fits[i].expected)
            fail_msg("row %zu: n %llu, not %llu", i, (unsigned long long)plan.cells[0].cell.n,
                     (unsigned long long)fits[i].expected);
        plan_free(&plan);
    }
}

/* Every preset expands, and each of its lists is one that a user could give. */
static void test_presets(void **state)
{
    (void)state;
    int presets, sweeps;
    const struct preset *list = tables_presets(&presets);
    const struct sweep *sweep = tables_sweeps(&sweeps);
    for (int i = 0; i < presets; i++) {
        char name[64];
        snprintf(name, sizeof name, "--preset=%s", list[i].name);
        const char *arguments[] = {name, NULL};
        struct plan plan;
        expand(&plan, arguments, &no_limits);
        assert_true(plan.count > 10);
        plan_free(&plan);
    }
    for (int i = 0; i < sweeps; i++) {
        struct options options = {.variants = (char *)sweep[i].variants,
                                  .workloads = (char *)sweep[i].workloads};
        memcpy(options.values, sweep[i].values, sizeof options.values);
        assert_int_equal(plan_check(&options), EXIT_WELL);
        assert_non_null(tables_find_preset(sweep[i].preset));
    }
}

static void test_free_lists_are_not_churned(void **state)
{
    (void)state;
    const char *arguments[] = {"--preset=sweep", NULL};
    struct plan plan;
    bool retained = false;
    expand(&plan, arguments, &no_limits);
    for (size_t i = 0; i < plan.count; i++) {
        const struct cell *cell = &plan.cells[i].cell;
        if (strcmp(cell->target, "list") && strcmp(cell->target, "dict"))
            continue;
        assert_string_not_equal(cell->workload, "churn");
        retained |= !strcmp(cell->workload, "retain");
    }
    assert_true(retained);
    plan_free(&plan);
}

/* ---- order ---- */

static void test_shuffle(void **state)
{
    (void)state;
    const char *arguments[] = {"--preset=sweep", NULL};
    struct plan plain, a, b, other;
    size_t moved = 0, differ = 0;
    expand(&plain, arguments, &no_limits);
    expand(&a, arguments, &no_limits);
    expand(&b, arguments, &no_limits);
    expand(&other, arguments, &no_limits);
    plan_shuffle(&a, 5);
    plan_shuffle(&b, 5);
    plan_shuffle(&other, 6);
    for (size_t i = 0; i < plain.count; i++) {
        size_t found = 0;
        assert_string_equal(a.cells[i].id, b.cells[i].id);
        moved += strcmp(a.cells[i].id, plain.cells[i].id) != 0;
        differ += strcmp(a.cells[i].id, other.cells[i].id) != 0;
        for (size_t j = 0; j < a.count; j++)
            found += !strcmp(a.cells[j].id, plain.cells[i].id);
        assert_int_equal(found, 1);
    }
    assert_true(moved > plain.count / 2);
    assert_true(differ > plain.count / 2);
    plan_free(&plain);
    plan_free(&a);
    plan_free(&b);
    plan_free(&other);
}

/* Of plain and gc, each cell's neighbour is its twin, wherever the shuffle has put the two. */
static void test_twins_are_neighbours(void **state)
{
    (void)state;
    const char *arguments[] = {"--variants=plain,gc", "--workloads=churn", NULL};
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct plan plan;
        expand(&plan, arguments, &no_limits);
        plan_shuffle(&plan, seed);
        assert_int_equal(plan.count, 16);
        for (size_t i = 0; i < plan.count; i += 2) {
            assert_string_equal(plan.cells[i].twin, plan.cells[i + 1].id);
            assert_string_equal(plan.cells[i + 1].twin, plan.cells[i].id);
        }
        plan_free(&plan);
    }
}

static void test_shards_are_a_partition(void **state)
{
    (void)state;
    const char *arguments[] = {"--preset=quick", NULL};
    struct plan whole;
    expand(&whole, arguments, &no_limits);
    plan_shuffle(&whole, 1);
    for (unsigned count = 1; count <= whole.count + 3; count += 3) {
        size_t total = 0, least = whole.count, most = 0;
        for (unsigned index = 0; index < count; index++) {
            struct plan part;
            expand(&part, arguments, &no_limits);
            plan_shuffle(&part, 1);
            plan_shard(&part, index, count);
            for (size_t i = 0; i < part.count; i++)
                assert_string_equal(part.cells[i].id, whole.cells[index + i * count].id);
            total += part.count;
            least = part.count < least ? part.count : least;
            most = part.count > most ? part.count : most;
            plan_free(&part);
        }
        assert_int_equal(total, whole.count);
        assert_true(most - least <= 1);
    }
    plan_free(&whole);
}

/* Each job once; repeats outermost, a cell's workers back to back, each first in its turn. */
static void test_jobs_interleave(void **state)
{
    (void)state;
    enum { WORKERS = 3, REPEATS = 6 };
    const char *arguments[] = {"--variants=gc1", "--workloads=churn", "--n=1,2,3,4", NULL};
    struct plan plan;
    int seen[4][WORKERS][REPEATS] = {{{0}}}, first[4][WORKERS] = {{0}};
    unsigned repeat = 0;
    expand(&plan, arguments, &no_limits);
    assert_int_equal(plan.count, 4);
    assert_int_equal(plan_jobs(&plan, WORKERS, REPEATS), 4 * WORKERS * REPEATS);
    for (size_t i = 0; i < plan_jobs(&plan, WORKERS, REPEATS); i++) {
        struct plan_job job = plan_job(&plan, WORKERS, i);
        size_t cell = (size_t)(job.cell - plan.cells);
        assert_true(job.repeat >= repeat);
        repeat = job.repeat;
        seen[cell][job.worker][job.repeat]++;
        if (i % WORKERS == 0)
            first[cell][job.worker]++;
        else
            assert_ptr_equal(job.cell, plan_job(&plan, WORKERS, i - 1).cell);
    }
    for (int cell = 0; cell < 4; cell++)
        for (int worker = 0; worker < WORKERS; worker++) {
            assert_int_equal(first[cell][worker], REPEATS / WORKERS);
            for (int r = 0; r < REPEATS; r++)
                assert_int_equal(seen[cell][worker][r], 1);
        }
    plan_free(&plan);
}

static const struct {
    const char *arguments[5];
    int release;
    bool free_threaded;
    const char *reason; /* NULL: runs */
} skips[] = {
    {{"--target=gc_dict", "--workload=churn"}, 11, false, "needs 3.12"},
    {{"--target=gc_dict", "--workload=churn"}, 12, false, NULL},
    {{"--target=gc1", "--workload=churn", "--arena=prefault"}, 13, true, "arena prefault"},
    {{"--target=gc1", "--workload=churn", "--arena=prefault"}, 13, false, NULL},
    {{"--target=gc1", "--workload=churn", "--allocator=pymalloc_debug"}, 13, true, "allocator"},
    {{"--target=gc1", "--workload=churn", "--allocator=malloc"}, 13, true, "allocator"},
    {{"--target=gc1", "--workload=churn", "--allocator=debug"}, 13, true, NULL},
    {{"--target=gc0", "--workload=ring"}, 13, false, "gc0 has no field"},
    {{"--target=null", "--workload=ring"}, 13, false, "null cannot"},
    {{"--target=gc1", "--workload=ring"}, 13, false, NULL},
    {{"--target=m:f", "--workload=ring"}, 13, false, NULL},
};

static void test_skips(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof skips / sizeof *skips; i++) {
        char reason[PLAN_REASON_SIZE];
        struct cell cell;
        cell_init(&cell);
        for (const char *const *word = skips[i].arguments; *word; word++)
            assert_int_equal(cell_parse(&cell, *word), 1);
        const char *why = plan_skip(&cell, skips[i].release, skips[i].free_threaded, reason);
        if (!why != !skips[i].reason ||
            (why && strncmp(why, skips[i].reason, strlen(skips[i].reason))))
            fail_msg("row %zu: '%s', not '%s'", i, why ? why : "runs",
                     skips[i].reason ? skips[i].reason : "runs");
    }
}

/* ---- the machine's memory ---- */

static void put(const char *root, const char *path, const char *text)
{
    char name[512];
    snprintf(name, sizeof name, "%s/%s", root, path);
    for (char *slash = strchr(name + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(name, 0700);
        *slash = '/';
    }
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void test_cgroup_limits(void **state)
{
    (void)state;
    char root[] = P_tmpdir "/gctax-test-XXXXXX", command[128];
    assert_non_null(mkdtemp(root));
    put(root, "v2/memory.max", "max\n");
    put(root, "v2/a/memory.max", "1000\n");
    put(root, "v2/a/b/memory.max", "max\n");
    put(root, "v2/a/b/c/memory.max", "2000\n");
    put(root, "v1/memory/memory.limit_in_bytes", "9223372036854771712\n");
    put(root, "v1/memory/x/memory.limit_in_bytes", "3000\n");
    put(root, "hybrid/unified/a/memory.max", "4000\n");
    static const struct {
        const char *mount, *cgroup;
        uint64_t limit;
    } rows[] = {
        {"v2", "0::/\n", UINT64_MAX},
        {"v2", "0::/a\n", 1000},
        {"v2", "0::/a/b\n", 1000},
        {"v2", "0::/a/b/c\n", 1000},
        {"v2", "0::/elsewhere\n", UINT64_MAX},
        {"v1", "9:cpu:/x\n4:memory:/x\n", 3000},
        {"v1", "4:hugetlb,memory:/x/y\n", 3000},
        {"v1", "4:memory:/\n", UINT64_MAX},
        {"v1", "4:memoryless:/x\n", UINT64_MAX},
        {"hybrid", "1:cpu:/\n0::/a\n", 4000},
        {"v2", "", UINT64_MAX},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char mount[256];
        snprintf(mount, sizeof mount, "%s/%s", root, rows[i].mount);
        if (sysinfo_cgroup_limit(mount, rows[i].cgroup) != rows[i].limit)
            fail_msg("row %zu", i);
    }
    assert_int_equal(sysinfo_available("MemTotal:  100 kB\nMemAvailable:   50 kB\n"), 51200);
    assert_true(sysinfo_available("MemTotal: 100 kB\n") == UINT64_MAX);
    snprintf(command, sizeof command, "rm -r %s", root);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_bad_input),
        cmocka_unit_test(test_unused_list_is_refused),
        cmocka_unit_test(test_safepoint_cap),
        cmocka_unit_test(test_sizes_fit),
        cmocka_unit_test(test_presets),
        cmocka_unit_test(test_free_lists_are_not_churned),
        cmocka_unit_test(test_shuffle),
        cmocka_unit_test(test_twins_are_neighbours),
        cmocka_unit_test(test_shards_are_a_partition),
        cmocka_unit_test(test_jobs_interleave),
        cmocka_unit_test(test_skips),
        cmocka_unit_test(test_cgroup_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
