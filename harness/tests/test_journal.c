/* The folder of a run: what is left of it after a death at any byte, and after a full disk. */
#include "cell.h"
#include "journal.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define CELLS 3
#define ROWS 2 /* of pauses and of latency, for each cell */

static const char *const names[] = {"cells.csv", "pauses.csv", "latency.csv", "environment.csv",
                                    "plan"};
#define NAMES (sizeof names / sizeof *names)

/* In memory where that is possible: the tests make thousands of files reach the disk. */
static char in_memory[] = "/dev/shm/gctax-journal-XXXXXX",
            on_disk[] = P_tmpdir "/gctax-journal-XXXXXX";
static char *folder;

static void path_of(char path[256], const char *run, const char *name)
{
    snprintf(path, 256, "%s/%s%s%s", folder, run, name ? "/" : "", name ? name : "");
}

static struct csv slurp(const char *run, const char *name)
{
    struct csv text = {0};
    char path[256], block[4096];
    size_t length;
    path_of(path, run, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    while ((length = fread(block, 1, sizeof block, file)) > 0)
        csv_raw(&text, block, length);
    fclose(file);
    return text;
}

static void spill(const char *run, const char *name, const char *data, size_t length)
{
    char path[256];
    path_of(path, run, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, length, file), length);
    fclose(file);
}

static void add_row(struct csv *text, enum record_table table, int cell, const char *value)
{
    static const int keys[JOURNAL_TABLES][3] = {
        [RECORD_CELLS] = {CELLS_cell_id, CELLS_worker, CELLS_repeat},
        [RECORD_PAUSES] = {PAUSES_cell_id, PAUSES_worker, PAUSES_repeat},
        [RECORD_LATENCY] = {LATENCY_cell_id, LATENCY_worker, LATENCY_repeat}};
    static const int values[JOURNAL_TABLES] = {CELLS_detail, PAUSES_start_ns, LATENCY_latency_ns};
    struct record row;
    char id[CELL_ID_SIZE];
    snprintf(id, sizeof id, "%016x", cell + 1);
    record_init(&row, table);
    record_set_text(&row, (enum metric_id)keys[table][0], id);
    record_set_text(&row, (enum metric_id)keys[table][1], "3.13.0");
    record_set_count(&row, (enum metric_id)keys[table][2], 0);
    record_set_text(&row, (enum metric_id)values[table], value);
    assert_int_equal(record_line(&row, text), 0);
    csv_raw(text, "\r\n", 2);
    record_free(&row);
}

static int commit(struct journal *journal, int cell)
{
    struct csv texts[JOURNAL_TABLES] = {{0}};
    add_row(&texts[RECORD_CELLS], RECORD_CELLS, cell, "a \"quoted\", detail");
    for (int i = 0; i < ROWS; i++) {
        add_row(&texts[RECORD_PAUSES], RECORD_PAUSES, cell, "1.5");
        add_row(&texts[RECORD_LATENCY], RECORD_LATENCY, cell, "20");
    }
    int result = journal_commit(journal, texts);
    int error = errno;
    for (int table = 0; table < JOURNAL_TABLES; table++)
        csv_free(&texts[table]);
    errno = error;
    return result;
}

static void create(struct journal *journal, const char *run)
{
    struct csv plan = {0}, environment = {0};
    char path[256];
    path_of(path, run, NULL);
    csv_raw(&plan, "the plan", 8);
    csv_raw(&environment, "facts", 5);
    assert_int_equal(journal_create(journal, path, &plan, &environment), EXIT_WELL);
    csv_free(&plan);
    csv_free(&environment);
}

/* Opens and recovers; returns how many cells are committed. */
static int resume(struct journal *journal, const char *run)
{
    struct csv plan = {0}, environment = {0};
    char path[256];
    int committed = 0;
    path_of(path, run, NULL);
    csv_raw(&environment, "facts", 5);
    assert_int_equal(journal_open(journal, path, &plan), EXIT_WELL);
    assert_string_equal(plan.data, "the plan");
    assert_int_equal(journal_recover(journal, &environment), EXIT_WELL);
    for (int cell = 0; cell < CELLS; cell++) {
        char id[CELL_ID_SIZE];
        snprintf(id, sizeof id, "%016x", cell + 1);
        committed += journal_has(journal, id, "3.13.0", 0);
        assert_false(journal_has(journal, id, "3.13.0", 1));
        assert_false(journal_has(journal, id, "3.13", 0));
    }
    csv_free(&plan);
    csv_free(&environment);
    return committed;
}

static void assert_same(const char *run, const struct csv wanted[NAMES])
{
    for (size_t i = 0; i < NAMES; i++) {
        struct csv text = slurp(run, names[i]);
        assert_int_equal(text.length, wanted[i].length);
        assert_memory_equal(text.data, wanted[i].data, text.length);
        csv_free(&text);
    }
}

/* A run of CELLS cells, and its files. */
static void whole_run(const char *run, struct csv texts[NAMES])
{
    struct journal journal;
    create(&journal, run);
    for (int cell = 0; cell < CELLS; cell++)
        assert_int_equal(commit(&journal, cell), 0);
    journal_close(&journal);
    for (size_t i = 0; i < NAMES; i++)
        texts[i] = slurp(run, names[i]);
}

static void free_texts(struct csv texts[NAMES])
{
    for (size_t i = 0; i < NAMES; i++)
        csv_free(&texts[i]);
}

static void test_create_and_commit(void **state)
{
    (void)state;
    struct csv texts[NAMES];
    struct journal journal;
    whole_run("plain", texts);
    assert_int_equal(resume(&journal, "plain"), CELLS);
    journal_close(&journal);
    assert_same("plain", texts);
    free_texts(texts);
}

/* Cuts a file after each of its bytes in turn; what is missing then is committed again, and the
 * files have to end as they were: no row lost, doubled or torn. Cutting cells.csv loses the last
 * rows, cutting another is what a death before the commit leaves. */
static void test_cut_at_every_byte(void **state)
{
    (void)state;
    struct csv texts[NAMES];
    whole_run("cut", texts);
    for (size_t length = 0; length <= texts[0].length; length++) {
        struct journal journal;
        for (size_t i = 1; i < 3; i++)
            spill("cut", names[i], texts[i].data, texts[i].length);
        spill("cut", names[0], texts[0].data, length);
        int committed = resume(&journal, "cut");
        int whole = -1; /* the header is a line too */
        for (size_t at = 1; at < length; at++)
            whole += texts[0].data[at - 1] == '\r' && texts[0].data[at] == '\n';
        assert_int_equal(committed, whole < 0 ? 0 : whole);
        for (int cell = committed; cell < CELLS; cell++)
            assert_int_equal(commit(&journal, cell), 0);
        journal_close(&journal);
        assert_same("cut", texts);
    }
    free_texts(texts);
}

/* The order of a commit: rows of pauses and latency may be there, whole or torn, before their cell.
 */
static void test_cut_before_the_commit(void **state)
{
    (void)state;
    struct csv texts[NAMES];
    whole_run("before", texts);
    size_t cells_end = texts[0].length - 1;
    while (texts[0].data[cells_end - 1] != '\n')
        cells_end--;
    for (size_t file = 1; file < 3; file++) {
        size_t start = texts[file].length;
        for (int row = 0; row < ROWS; row++)
            do
                start--;
            while (texts[file].data[start - 1] != '\n');
        for (size_t length = start; length <= texts[file].length; length++) {
            struct journal journal;
            for (size_t i = 0; i < 3; i++)
                spill("before", names[i], texts[i].data, i == 0 ? cells_end : texts[i].length);
            spill("before", names[file], texts[file].data, length);
            assert_int_equal(resume(&journal, "before"), CELLS - 1);
            journal_close(&journal);
            /* Again, as if killed right after: nothing changes. */
            assert_int_equal(resume(&journal, "before"), CELLS - 1);
            struct csv cut = slurp("before", names[file]);
            assert_int_equal(cut.length, start);
            assert_memory_equal(cut.data, texts[file].data, start);
            csv_free(&cut);
            assert_int_equal(commit(&journal, CELLS - 1), 0);
            journal_close(&journal);
            assert_same("before", texts);
        }
    }
    free_texts(texts);
}

static void test_missing_files_come_back(void **state)
{
    (void)state;
    struct csv texts[NAMES];
    struct journal journal;
    char path[256];
    whole_run("missing", texts);
    for (size_t i = 0; i < 4; i++) {
        path_of(path, "missing", names[i]);
        assert_int_equal(unlink(path), 0);
    }
    assert_int_equal(resume(&journal, "missing"), 0);
    for (int cell = 0; cell < CELLS; cell++)
        assert_int_equal(commit(&journal, cell), 0);
    journal_close(&journal);
    assert_same("missing", texts);
    free_texts(texts);
}

/* A row taken out of cells.csv by hand: its other rows go, wherever they stand. */
static void test_row_removed_by_hand(void **state)
{
    (void)state;
    struct csv texts[NAMES];
    struct journal journal;
    whole_run("hand", texts);
    char *header = strchr(texts[0].data, '\n') + 1, *second = strchr(header, '\n') + 1;
    memmove(header, second, texts[0].length - (size_t)(second - texts[0].data));
    spill("hand", names[0], texts[0].data, texts[0].length - (size_t)(second - header));
    assert_int_equal(resume(&journal, "hand"), CELLS - 1);
    journal_close(&journal);
    struct csv pauses = slurp("hand", "pauses.csv");
    assert_null(strstr(pauses.data, "0000000000000001"));
    assert_non_null(strstr(pauses.data, "0000000000000002"));
    csv_free(&pauses);
    free_texts(texts);
}

static void test_damage_is_refused(void **state)
{
    (void)state;
    struct csv texts[NAMES], plan = {0}, environment = {0};
    struct journal journal;
    char path[256];
    whole_run("damage", texts);
    char *second = strchr(texts[0].data, '\n') + 1;
    second[20] = '"'; /* an open quote */
    spill("damage", names[0], texts[0].data, texts[0].length);
    path_of(path, "damage", NULL);
    assert_int_equal(journal_open(&journal, path, &plan), EXIT_WELL);
    assert_int_equal(journal_recover(&journal, &environment), EXIT_ENVIRONMENT);
    journal_close(&journal);
    csv_free(&plan);
    free_texts(texts);
}

/* A file-size limit stands for a full disk: the write stops in the middle of a row. */
static void test_full_disk(void **state)
{
    (void)state;
    struct csv before[NAMES];
    struct journal journal;
    struct rlimit limit, small;
    create(&journal, "full");
    assert_int_equal(commit(&journal, 0), 0);
    for (size_t i = 0; i < NAMES; i++)
        before[i] = slurp("full", names[i]);
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &limit);
    small = limit;
    small.rlim_cur = before[0].length + 10;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    int result = commit(&journal, 1), error = errno;
    setrlimit(RLIMIT_FSIZE, &limit);
    assert_int_equal(result, -1);
    assert_int_equal(error, EFBIG);
    assert_same("full", before);
    assert_int_equal(commit(&journal, 1), 0);
    journal_close(&journal);
    assert_int_equal(resume(&journal, "full"), 2);
    journal_close(&journal);
    free_texts(before);
}

static void test_one_driver_a_run(void **state)
{
    (void)state;
    struct journal first, second;
    struct csv plan = {0};
    char path[256];
    create(&first, "lock");
    path_of(path, "lock", NULL);
    assert_int_equal(journal_open(&second, path, &plan), EXIT_ENVIRONMENT);
    journal_close(&first);
    assert_int_equal(journal_open(&second, path, &plan), EXIT_WELL);
    journal_close(&second);
    csv_free(&plan);
}

/* --force: our files are replaced, others stay. */
static void test_force(void **state)
{
    (void)state;
    struct csv texts[NAMES];
    struct journal journal;
    char path[256];
    whole_run("force", texts);
    spill("force", "notes.txt", "mine", 4);
    path_of(path, "force", NULL);
    assert_int_equal(journal_check(path, false), EXIT_USAGE);
    assert_int_equal(journal_check(path, true), EXIT_WELL);
    create(&journal, "force");
    journal_close(&journal);
    assert_int_equal(resume(&journal, "force"), 0);
    journal_close(&journal);
    struct csv notes = slurp("force", "notes.txt");
    assert_string_equal(notes.data, "mine");
    csv_free(&notes);
    free_texts(texts);
}

static void test_check(void **state)
{
    (void)state;
    char path[256];
    spill(".", "file", "x", 1);
    path_of(path, "file", NULL);
    assert_int_equal(journal_check(path, false), EXIT_USAGE);
    path_of(path, "file/below", NULL);
    assert_int_equal(journal_check(path, false), EXIT_USAGE);
    path_of(path, "new/deep/er", NULL);
    assert_int_equal(journal_check(path, false), EXIT_WELL);
    assert_int_equal(access(path, F_OK), -1);
}

static int make_folder(void **state)
{
    (void)state;
    folder = mkdtemp(in_memory);
    if (!folder)
        folder = mkdtemp(on_disk);
    return folder ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_create_and_commit),
        cmocka_unit_test(test_cut_at_every_byte),
        cmocka_unit_test(test_cut_before_the_commit),
        cmocka_unit_test(test_missing_files_come_back),
        cmocka_unit_test(test_row_removed_by_hand),
        cmocka_unit_test(test_damage_is_refused),
        cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_one_driver_a_run),
        cmocka_unit_test(test_force),
        cmocka_unit_test(test_check),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
