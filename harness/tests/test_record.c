/* Rows, numbers and CSV lines, and the schema that both programs have to share. */
#include "record.h"

#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct {
    double value;
    const char *text;
} reals[] = {
    {0, "0"},
    {1, "1"},
    {-2.5, "-2.5"},
    {0.1, "0.1"},
    {1.0 / 3, "0.3333333333333333"},
    {1e21, "1e+21"},
    {5e-324, "4.94065645841247e-324"},
    {123456789012345, "123456789012345"},
    {NAN, ""},
    {INFINITY, ""},
    {-INFINITY, ""},
    {0.1 + 0.2, "0.30000000000000004"},
};

static void check_reals(void)
{
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
        char text[RECORD_REAL_SIZE];
        assert_string_equal(record_format_real(text, reals[i].value), reals[i].text);
    }
}

static void test_reals(void **state)
{
    (void)state;
    check_reals();
}

static void test_reals_with_decimal_comma(void **state)
{
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "ps_AF.UTF-8"};
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof *names && !found; i++)
        found = setlocale(LC_ALL, names[i]) != NULL;
    if (!found)
        skip(); /* no locale with another decimal point is installed */
    check_reals();
    setlocale(LC_ALL, "C");
}

static const struct {
    const char *in, *out;
} texts[] = {
    {"plain", "plain"},
    {"a\tb\r\nc\x7f", "a b  c "},
    {"\xc3\xa9\xe2\x82\xac\xf0\x9f\x90\x8d", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x90\x8d"},
    {"\xff", "\xef\xbf\xbd"},
    {"\xc3", "\xef\xbf\xbd"},                                 /* cut off */
    {"\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd"},                 /* overlong */
    {"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}, /* surrogate */
    {"\xc2\x85", " "},                                        /* NEL is a control character */
    {"", ""},
};

static void test_texts(void **state)
{
    (void)state;
    struct record row;
    record_init(&row, RECORD_CELLS);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        record_set_text(&row, CELLS_detail, texts[i].in);
        assert_string_equal(record_get(&row, CELLS_detail), texts[i].out);
    }
    record_free(&row);
}

/* The columns of a table stand together, with no name twice: ids count from the first. */
static void test_tables_are_contiguous(void **state)
{
    (void)state;
    int total = 0;
    for (int table = 0; table < RECORD_TABLES; table++)
        total += record_columns((enum record_table)table);
    assert_int_equal(total, METRIC_COUNT);
    for (int a = 0; a < METRIC_COUNT; a++)
        for (int b = a + 1; b < METRIC_COUNT; b++)
            if (record_metrics[a].table == record_metrics[b].table)
                assert_string_not_equal(record_metrics[a].field, record_metrics[b].field);
}

static void test_every_metric_is_told(void **state)
{
    (void)state;
    static const char *const suffixes[][2] = {
        {"_ns", "ns"}, {"_s", "s"}, {"_bytes", "B"}, {"_ratio", "1"}};
    for (int id = 0; id < METRIC_COUNT; id++) {
        const struct metric *metric = &record_metrics[id];
        assert_true(strlen(metric->doc) > 5);
        assert_int_equal(metric->type == RECORD_TEXT, metric->unit[0] == '\0');
        for (size_t s = 0; s < sizeof suffixes / sizeof *suffixes; s++) {
            size_t length = strlen(metric->field), end = strlen(suffixes[s][0]);
            if (metric->type != RECORD_TEXT && length > end &&
                !strcmp(metric->field + length - end, suffixes[s][0]))
                assert_string_equal(metric->unit, suffixes[s][1]);
        }
    }
}

static void test_line_round_trip(void **state)
{
    (void)state;
    struct record row, back;
    struct csv line = {0};
    record_init(&row, RECORD_CELLS);
    record_init(&back, RECORD_CELLS);
    for (int i = 0; i < record_columns(RECORD_CELLS); i++) {
        enum metric_id id = (enum metric_id)(record_first(RECORD_CELLS) + i);
        switch (record_metrics[id].type) {
        case RECORD_TEXT:
            record_set_text(&row, id, i % 2 ? "a \"quoted\", comma" : "");
            break;
        case RECORD_COUNT:
            record_set_count(&row, id, UINT64_MAX - (uint64_t)i);
            break;
        case RECORD_REAL:
            record_set_real(&row, id, i % 3 ? i / 7.0 : NAN);
            break;
        }
    }
    assert_int_equal(record_line(&row, &line), 0);
    assert_int_equal(record_parse(&back, line.data), 0);
    for (int i = 0; i < record_columns(RECORD_CELLS); i++) {
        enum metric_id id = (enum metric_id)(record_first(RECORD_CELLS) + i);
        assert_string_equal(record_get(&back, id), record_get(&row, id));
    }
    csv_free(&line);
    record_free(&row);
    record_free(&back);
}

static const struct {
    const char *row;
    int result;
} checks[] = {
    {",,,,50,20.5,1000,3", 0},
    {",,,,,,,", 0},
    {"r,c,\"w\",0,5e1,2,1,0", 0},
    {",,,,50,20.5,1000", -1},
    {",,,,50,20.5,1000,3,", -1},
    {",,,,fifty,20.5,1000,3", -1},
    {",,,,50,20.5,-1,3", -1},
    {",,,,nan,1,1,1", -1},
    {"", -1},
    {",,,,\"50,20.5,1000,3", -1},
};

static void test_check(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        char row[128];
        snprintf(row, sizeof row, "%s", checks[i].row);
        if (record_check(RECORD_LATENCY, row) != checks[i].result)
            fail_msg("'%s': not %d", checks[i].row, checks[i].result);
    }
}

static void test_hash(void **state)
{
    (void)state;
    /* Test vectors of draft-eastlake-fnv. */
    assert_true(record_hash(RECORD_HASH_START, "a") == UINT64_C(0xaf63dc4c8601ec8c));
    assert_true(record_hash(RECORD_HASH_START, "foobar") == UINT64_C(0x85944171f73967e8));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reals),
        cmocka_unit_test(test_reals_with_decimal_comma),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_tables_are_contiguous),
        cmocka_unit_test(test_every_metric_is_told),
        cmocka_unit_test(test_line_round_trip),
        cmocka_unit_test(test_check),
        cmocka_unit_test(test_hash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
