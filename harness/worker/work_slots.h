/* What workloads share outside the clock: their slots, and the verification of what they did. */
#ifndef GCTAX_WORK_SLOTS_H
#define GCTAX_WORK_SLOTS_H

#include "workload.h"

/* The first thing a start() does: remembers how many instances had been destroyed before. */
void work_slots_begin(struct work *work);

/* Empties all slots, first to last. Does not count what it frees. */
void work_slots_clear(struct work *work);

/* Reverses or shuffles the pointers of the first `count` (at most 2^32) slots; instances stay where
 * they are. */
void work_slots_reverse(struct work *work, size_t count);
void work_slots_shuffle(struct work *work, size_t count);

/* Do the first `count` slots hold instances of the target's type, and the others nothing?
 * 0, or -1 with an AssertionError. */
int work_slots_verify(const struct work *work, size_t count);

/* Gives what was dropped and came back its end; nothing of a target whose instances do not. 0, or
 * -1 with an exception. */
int work_slots_finish(const struct work *work);

/* Are exactly `expected` of the instances made since start() alive? 0, or -1 with an
 * AssertionError. True without a look where the target's instances cannot be counted. */
int work_slots_verify_alive(const struct work *work, uint64_t expected);

#endif
