/* The stopwatch against CLOCK_MONOTONIC. Nothing here asserts how long anything takes. */
#include "stopwatch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void test_never_backwards(void **state)
{
    (void)state;
    struct stopwatch stopwatch;
    stopwatch_open(&stopwatch);
    uint64_t last = stopwatch_begin(&stopwatch);
    for (int i = 0; i < 100000; i++) {
        uint64_t now = i % 2 ? stopwatch_begin(&stopwatch) : stopwatch_end(&stopwatch);
        assert_true(now >= last);
        last = now;
    }
}

/* An interval that lies between two reads of CLOCK_MONOTONIC is not longer than theirs, and one
 * that encloses them is not shorter; 0.1 % for the calibration, which NTP may slew by 0.05 %. */
static void test_agrees_with_monotonic(void **state)
{
    (void)state;
    struct stopwatch stopwatch;
    stopwatch_open(&stopwatch);
    uint64_t outer = stopwatch_begin(&stopwatch);
    uint64_t before = stopwatch_monotonic_ns();
    uint64_t inner = stopwatch_begin(&stopwatch);
    while (stopwatch_monotonic_ns() - before < 50000000)
        ;
    inner = stopwatch_end(&stopwatch) - inner;
    uint64_t between = stopwatch_monotonic_ns() - before;
    outer = stopwatch_end(&stopwatch) - outer;
    double ns_per_tick = stopwatch_ns_per_tick(&stopwatch);
    assert_true(ns_per_tick > 0);
    assert_true((double)inner * ns_per_tick <= (double)between * 1.001);
    assert_true((double)outer * ns_per_tick >= (double)between * 0.999);
}

/* The cost of the clock is what two adjacent reads are apart: some are closer, some farther. */
static void test_cost_is_a_median(void **state)
{
    (void)state;
    struct stopwatch stopwatch;
    stopwatch_open(&stopwatch);
    uint64_t cost = stopwatch_cost_ticks(&stopwatch), least = UINT64_MAX, most = 0;
    for (int i = 0; i < 100000; i++) {
        uint64_t begin = stopwatch_begin(&stopwatch);
        uint64_t distance = stopwatch_end(&stopwatch) - begin;
        least = distance < least ? distance : least;
        most = distance > most ? distance : most;
    }
    assert_true(cost > 0);
    assert_in_range(cost, least / 2, most);
}

/* Every distance is a multiple of the step. */
static void test_step_divides(void **state)
{
    (void)state;
    struct stopwatch stopwatch;
    stopwatch_open(&stopwatch);
    uint64_t step = stopwatch_step_ticks(&stopwatch);
    uint64_t first = stopwatch_begin(&stopwatch);
    if (step == 0)
        fail_msg("the clock has no step");
    for (int i = 0; i < 1000 && step > 0; i++) /* nobody tells analyzers that fail_msg() leaves */
        assert_int_equal((stopwatch_end(&stopwatch) - first) % step, 0);
}

static void test_fallback_is_monotonic(void **state)
{
    (void)state;
    struct stopwatch stopwatch;
    stopwatch_open(&stopwatch);
    stopwatch.tsc = false;
    uint64_t before = stopwatch_monotonic_ns();
    uint64_t ticks = stopwatch_begin(&stopwatch);
    assert_in_range(ticks, before, stopwatch_monotonic_ns());
    assert_true(stopwatch_ns_per_tick(&stopwatch) == 1.0);
    assert_string_equal(stopwatch_name(&stopwatch), "monotonic");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_never_backwards),       cmocka_unit_test(test_agrees_with_monotonic),
        cmocka_unit_test(test_cost_is_a_median),      cmocka_unit_test(test_step_divides),
        cmocka_unit_test(test_fallback_is_monotonic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
