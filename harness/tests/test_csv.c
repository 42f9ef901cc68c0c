/* CSV as written and as read back. With a file's name as its argument it writes the rows of the
 * test there, for other readers to be compared with. */
#include "csv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COLUMNS 4
#define FIELDS_MAX 8

static const char *const rows[][COLUMNS] = {
    {"plain", "1.5", "", "end"},
    {"comma,", "\"", "\"\"", "a\"b,c"},
    {"", "", "", ""},
    {" spaces ", "'", ";", "\t"},
    {"\xc3\xa9\xe2\x82\xac", "CR\rLF\n", "line\r\nend", ","},
};
#define ROWS (sizeof rows / sizeof *rows)

static void write_row(struct csv *text, const char *const *row)
{
    for (int c = 0; c < COLUMNS; c++)
        csv_field(text, c == 0, row[c]);
    csv_raw(text, "\r\n", 2);
}

static void test_round_trip(void **state)
{
    (void)state;
    for (size_t r = 0; r < ROWS; r++) {
        struct csv text = {0};
        char *fields[FIELDS_MAX];
        write_row(&text, rows[r]);
        assert_false(text.failed);
        assert_int_equal(csv_parse(text.data, fields, FIELDS_MAX), COLUMNS);
        for (int c = 0; c < COLUMNS; c++)
            assert_string_equal(fields[c], rows[r][c]);
        csv_free(&text);
    }
}

static const struct {
    const char *row;
    int count;
} parses[] = {
    {"", 1},
    {",", 2},
    {"a,b", 2},
    {"a,b\n", 2},
    {"a,b\r\n", 2},
    {"\"a,b\"", 1},
    {"\"a\"\"b\"", 1},
    {"\"a", -1},
    {"\"a\"b", -1},
    {"\"\"", 1},
    {"\"\",", 2},
    {"\"a\"\r\n", 1},
    {"1,2,3,4,5,6,7,8", 8},
    {"1,2,3,4,5,6,7,8,9", -1},
};

static void test_parse(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof parses / sizeof *parses; i++) {
        char row[64], *fields[FIELDS_MAX];
        snprintf(row, sizeof row, "%s", parses[i].row);
        int count = csv_parse(row, fields, FIELDS_MAX);
        if (count != parses[i].count)
            fail_msg("'%s': %d fields, not %d", parses[i].row, count, parses[i].count);
    }
}

static int write_file(const char *path)
{
    struct csv text = {0};
    for (size_t r = 0; r < ROWS; r++)
        write_row(&text, rows[r]);
    FILE *file = fopen(path, "wb");
    size_t written = file ? fwrite(text.data, 1, text.length, file) : 0;
    int result = !file || fclose(file) || written != text.length;
    csv_free(&text);
    return result;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_parse),
    };
    return argc > 1 ? write_file(argv[1]) : cmocka_run_group_tests(tests, NULL, NULL);
}
