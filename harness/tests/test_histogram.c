/* The histogram against exact quantiles of the sorted values, over distributions of several shapes;
 * its stated error bound, its edges, and merging. */
#include "histogram.h"
#include "rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { VALUES = 50000 };

/* One value of a distribution. */
typedef uint64_t draw_fn(uint64_t *rng);

static uint64_t draw_small(uint64_t *rng)
{
    return rng_below(rng, 300);
}

static uint64_t draw_uniform(uint64_t *rng)
{
    return rng_below(rng, 1000000);
}

/* Every power of two alike, up to 2^63. */
static uint64_t draw_log_uniform(uint64_t *rng)
{
    return rng_next(rng) >> rng_below(rng, 64);
}

/* As latencies are: a narrow body and, once in a thousand, a tail of milliseconds. */
static uint64_t draw_bimodal(uint64_t *rng)
{
    return rng_below(rng, 1000) ? 60 + rng_below(rng, 20) : 1000000 + rng_below(rng, 9000000);
}

static uint64_t draw_constant(uint64_t *rng)
{
    (void)rng;
    return 123456789;
}

static uint64_t draw_all_bits(uint64_t *rng)
{
    return rng_next(rng);
}

static const struct {
    const char *name;
    draw_fn *draw;
} distributions[] = {
    {"small", draw_small},     {"uniform", draw_uniform},   {"log-uniform", draw_log_uniform},
    {"bimodal", draw_bimodal}, {"constant", draw_constant}, {"all 64 bits", draw_all_bits},
};

static const struct {
    uint64_t numerator, denominator;
} quantiles[] = {{0, 1},    {1, 100},    {1, 2},        {3, 4},          {9, 10},
                 {99, 100}, {999, 1000}, {9999, 10000}, {99999, 100000}, {1, 1}};

static int compare(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static struct histogram *new_histogram(void)
{
    struct histogram *histogram = malloc(sizeof *histogram);
    assert_non_null(histogram);
    histogram_reset(histogram);
    return histogram;
}

static void test_quantiles(void **state)
{
    (void)state;
    struct histogram *histogram = new_histogram();
    uint64_t *values = calloc(VALUES, sizeof *values);
    assert_non_null(values);
    for (size_t d = 0; d < sizeof distributions / sizeof distributions[0]; d++) {
        uint64_t rng = d;
        histogram_reset(histogram);
        for (size_t i = 0; i < VALUES; i++) {
            values[i] = distributions[d].draw(&rng);
            histogram_record(histogram, values[i]);
        }
        qsort(values, VALUES, sizeof *values, compare);
        assert_int_equal(histogram->count, VALUES);
        assert_int_equal(histogram->min, values[0]);
        assert_int_equal(histogram->max, values[VALUES - 1]);
        for (size_t q = 0; q < sizeof quantiles / sizeof quantiles[0]; q++) {
            uint64_t n = quantiles[q].numerator, m = quantiles[q].denominator;
            uint64_t rank = (VALUES * n + m - 1) / m;
            uint64_t exact = values[rank == 0 ? 0 : rank - 1];
            uint64_t beyond, exact_beyond = 0;
            uint64_t value = histogram_quantile(histogram, n, m, &beyond);
            for (size_t i = 0; i < VALUES; i++)
                exact_beyond += values[i] > value;
            if (value < exact || value - exact > exact / 128 || beyond != exact_beyond)
                fail_msg("%s, %llu/%llu: %llu for %llu, beyond it %llu for %llu",
                         distributions[d].name, (unsigned long long)n, (unsigned long long)m,
                         (unsigned long long)value, (unsigned long long)exact,
                         (unsigned long long)beyond, (unsigned long long)exact_beyond);
        }
    }
    free(values);
    free(histogram);
}

static void test_buckets_adjoin(void **state)
{
    (void)state;
    for (unsigned bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket++) {
        uint64_t edge = histogram_upper_edge(bucket);
        assert_int_equal(histogram_bucket(edge), bucket);
        if (bucket + 1 < HISTOGRAM_BUCKETS)
            assert_int_equal(histogram_bucket(edge + 1), bucket + 1);
    }
    assert_true(histogram_upper_edge(HISTOGRAM_BUCKETS - 1) == UINT64_MAX);
}

static void test_edges(void **state)
{
    (void)state;
    struct histogram *histogram = new_histogram();
    uint64_t beyond;
    assert_int_equal(histogram_quantile(histogram, 1, 2, &beyond), 0);
    assert_int_equal(beyond, 0);
    assert_true(histogram->min == UINT64_MAX);
    histogram_record(histogram, 0);
    histogram_record(histogram, UINT64_MAX);
    assert_int_equal(histogram_quantile(histogram, 1, 2, &beyond), 0);
    assert_int_equal(beyond, 1);
    assert_true(histogram_quantile(histogram, 51, 100, &beyond) == UINT64_MAX);
    assert_int_equal(beyond, 0);
    assert_int_equal(histogram->min, 0);
    assert_true(histogram->max == UINT64_MAX);
    free(histogram);
}

/* The upper edge of the last bucket in use lies above every value: the maximum is what is given. */
static void test_never_above_maximum(void **state)
{
    (void)state;
    struct histogram *histogram = new_histogram();
    histogram_record(histogram, 1000001);
    assert_int_equal(histogram_quantile(histogram, 1, 2, NULL), 1000001);
    free(histogram);
}

static void test_merge(void **state)
{
    (void)state;
    struct histogram *all = new_histogram(), *left = new_histogram(), *right = new_histogram();
    uint64_t rng = 7;
    for (size_t i = 0; i < VALUES; i++) {
        uint64_t value = draw_log_uniform(&rng);
        histogram_record(all, value);
        histogram_record(i % 3 ? left : right, value);
    }
    histogram_merge(left, right);
    assert_memory_equal(left, all, sizeof *all);
    histogram_reset(right);
    histogram_merge(left, right);
    assert_memory_equal(left, all, sizeof *all);
    free(all);
    free(left);
    free(right);
}

static void test_supports(void **state)
{
    (void)state;
    static const struct {
        uint64_t count, numerator, denominator;
        bool supported;
    } rows[] = {
        {199, 1, 2, false},           {200, 1, 2, true},
        {999, 9, 10, false},          {1000, 9, 10, true},
        {99999, 999, 1000, false},    {100000, 999, 1000, true},
        {999999, 9999, 10000, false}, {1000000, 9999, 10000, true},
    };
    struct histogram *histogram = new_histogram();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        histogram->count = rows[i].count;
        assert_int_equal(histogram_supports(histogram, rows[i].numerator, rows[i].denominator),
                         rows[i].supported);
    }
    free(histogram);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quantiles), cmocka_unit_test(test_buckets_adjoin),
        cmocka_unit_test(test_edges),     cmocka_unit_test(test_never_above_maximum),
        cmocka_unit_test(test_merge),     cmocka_unit_test(test_supports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
