#include "pycompat.h"

#include "probe_clear.h"
#include "probe_cycle.h"
#include "probe_visits.h"
#include "rule.h"

/* Whether what is in the slot is visited as often as owned: what is not is another rule's. */
static bool is_visited(const struct probe_visits_slot *slot)
{
    return RULE_KNOWN(slot->owned) && slot->visited + slot->visited_within >= slot->owned;
}

static int judge(struct rule_case *at)
{
    const struct probe_result *result = rule_probe(at, &probe_cycle);
    const struct probe_result *visits = result != NULL ? rule_probe(at, &probe_visits) : NULL;
    if (visits == NULL)
        return -1;
    const struct probe_cycle *seen = RULE_SEEN(cycle, result);
    const struct probe_visits *visited = RULE_SEEN(visits, visits);
    int looked = 0;
    for (int slot = 0; slot < result->slot_count; slot++) {
        const struct probe_cycle_slot *cycles = &seen->slot[slot];
        const char *name = result->slot_name[slot];
        if (!rule_owns_slot(at, result, slot) || !is_visited(&visited->slot[slot]))
            continue;
        looked += RULE_KNOWN(cycles->partner_left);
        const int64_t pairs = probe_cycle_pairs_stay(cycles);
        const int64_t partners = probe_cycle_partners_stay(cycles);
        const bool pair = pairs > 0;
        if (!pair && partners == 0)
            continue;
        rule_done(at,
                  pair ? "%lld pairs of instances, each in .%s of the other, are dropped and "
                         "collected twice"
                       : "%lld cycles of an instance and an object in .%s that refers to it "
                         "are dropped and collected twice",
                  (long long)seen->cycles, name);
        rule_seen(at, "%lld of %lld %s are left, though traverse shows what is in .%s",
                  (long long)(pair ? pairs : partners), (long long)seen->cycles * (pair ? 2 : 1),
                  pair ? "instances" : "cycles", name);
        rule_expected(at, "none");
        return rule_breach(at, RULE_SHOWN, name);
    }
    if (rule_ended(at, result, "collecting"))
        return 0;
    return looked > 0 ? rule_ok(at) : rule_unseen(at, result, "no slot closes a cycle");
}

const struct rule rule_clear_breaks_cycles = {
    .judge = judge,
    .needs_gc = true,
    .death = 70,
    .explained_by = "tracked wrongly-untracked traverse-counts traverse-repeatable "
                    "dealloc-releases traverse-null visit-unowned visit-once gc-allocator",
};
