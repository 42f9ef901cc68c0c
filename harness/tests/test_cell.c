/* Cells: parsing, arguments, and ids that must never change. */
#include "cell.h"
#include "record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ARGUMENTS_MAX 8

/* Ids of runs that exist: a change of any of these breaks every join with an older run. */
static const struct {
    const char *id;
    const char *arguments[ARGUMENTS_MAX];
} known[] = {
    {"cbf29ce484222325", {NULL}}, /* nothing differs from the default: FNV-1a's start */
    {"42df7b45d9e9c6cb", {"--target=gc1", "--workload=churn", "--n=20000"}},
    {"42df7b45d9e9c6cb", {"--n=20000", "--workload=churn", "--target=gc1", "--gc_mode=on"}},
    {"42df7b45d9e9c6cb", {"--target=gc1", "--workload=churn", "--n=020000", "--live="}},
};

static struct cell parsed(const char *const *arguments)
{
    struct cell cell;
    cell_init(&cell);
    for (; *arguments; arguments++)
        assert_int_equal(cell_parse(&cell, *arguments), 1);
    return cell;
}

static void test_known_ids(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        char id[CELL_ID_SIZE];
        struct cell cell = parsed(known[i].arguments);
        assert_string_equal(cell_id(&cell, id), known[i].id);
    }
}

/* The id hashes the text that cell.h promises, sorted by name whatever the order of cell.def. */
static void test_id_is_hash_of_text(void **state)
{
    (void)state;
    const char *arguments[] = {"--workload=heap",   "--target=m:f('a,b')", "--live=10",
                               "--heap_order=aged", "--safepoint_every=0", NULL};
    char id[CELL_ID_SIZE], wanted[CELL_ID_SIZE];
    struct cell cell = parsed(arguments);
    uint64_t hash = record_hash(RECORD_HASH_START, "heap_order=aged\nlive=10\nsafepoint_every=0\n"
                                                   "target=m:f('a,b')\nworkload=heap\n");
    snprintf(wanted, sizeof wanted, "%016llx", (unsigned long long)hash);
    assert_string_equal(cell_id(&cell, id), wanted);
}

static void test_every_parameter_changes_id(void **state)
{
    (void)state;
    struct cell plain;
    char plain_id[CELL_ID_SIZE];
    cell_init(&plain);
    cell_id(&plain, plain_id);
    for (int f = 0; f < CELL_FIELDS; f++) {
        struct cell cell = plain;
        char id[CELL_ID_SIZE];
        assert_int_equal(cell_set(&cell, (enum cell_field)f, "7"), 0);
        assert_string_not_equal(cell_id(&cell, id), plain_id);
    }
}

static const struct {
    const char *argument;
    int result;
} parses[] = {
    {"--n=5", 1},
    {"--n=", 1},
    {"--target=", 1},
    {"--n=-5", -1},
    {"--n=5k", -1},
    {"--n= 5", -1},
    {"--n=18446744073709551615", -1},
    {"--n=18446744073709551614", 1},
    {"--n=99999999999999999999", -1},
    {"--nn=5", 0},
    {"--=5", 0},
    {"-n=5", 0},
    {"--n", 0},
    {"--repeat=5", 0},
    {"n=5", 0},
    {"--gc-mode=on", 0},
};

static void test_parse(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof parses / sizeof *parses; i++) {
        struct cell cell;
        cell_init(&cell);
        if (cell_parse(&cell, parses[i].argument) != parses[i].result)
            fail_msg("%s: not %d", parses[i].argument, parses[i].result);
    }
}

/* What the driver passes, the worker reads back as the same cell. */
static void test_arguments_round_trip(void **state)
{
    (void)state;
    struct cell cell, back;
    cell_init(&cell);
    for (int f = 0; f < CELL_FIELDS; f++) {
        const char *argv[CELL_FIELDS + 1];
        char id[CELL_ID_SIZE], id_back[CELL_ID_SIZE];
        int count;
        assert_int_equal(
            cell_set(&cell, (enum cell_field)f, cell_parameters[f].is_text ? "a=b --c" : "12"), 0);
        char *block = cell_arguments(&cell, argv, &count);
        assert_non_null(block);
        assert_int_equal(count, f + 1);
        assert_null(argv[count]);
        back = parsed(argv);
        assert_string_equal(cell_id(&back, id_back), cell_id(&cell, id));
        free(block);
    }
}

static void test_record(void **state)
{
    (void)state;
    const char *arguments[] = {"--target=gc1", "--n=20000", "--threshold0=0", NULL};
    struct cell cell = parsed(arguments);
    struct record row;
    record_init(&row, RECORD_CELLS);
    cell_record(&cell, &row);
    assert_string_equal(record_get(&row, CELLS_target), "gc1");
    assert_string_equal(record_get(&row, CELLS_n), "20000");
    assert_string_equal(record_get(&row, CELLS_threshold0), "0");
    assert_string_equal(record_get(&row, CELLS_threshold1), "");
    assert_string_equal(record_get(&row, CELLS_gc_mode), "on");
    record_free(&row);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_ids),
        cmocka_unit_test(test_id_is_hash_of_text),
        cmocka_unit_test(test_every_parameter_changes_id),
        cmocka_unit_test(test_parse),
        cmocka_unit_test(test_arguments_round_trip),
        cmocka_unit_test(test_record),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
