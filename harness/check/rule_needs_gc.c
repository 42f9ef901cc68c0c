#include "pycompat.h"

#include "probe_cycle.h"
#include "probe_visits.h"
#include "rule.h"

static int judge(struct rule_case *at)
{
    const struct probe_result *result = rule_probe(at, &probe_visits);
    const struct probe_result *cycles = result != NULL ? rule_probe(at, &probe_cycle) : NULL;
    if (cycles == NULL)
        return -1;
    if (!result->type.known)
        return rule_unseen(at, result, "no instance was made");
    if (result->type.have_gc && result->type.plain_base[0] == '\0')
        return rule_ok(at);
    const char *plain = result->type.have_gc ? result->type.plain_base : result->type.name;
    const struct probe_visits *seen = RULE_SEEN(visits, result);
    const struct probe_cycle *cycle = RULE_SEEN(cycle, cycles);
    int owned = -1;
    for (int slot = 0; slot < result->slot_count; slot++) {
        const struct probe_visits_slot *place = &seen->slot[slot];
        if (place->owned <= 0 || place->visited + place->visited_within >= place->owned)
            continue;
        owned = owned < 0 ? slot : owned;
        const int64_t left = probe_cycle_partners_stay(&cycle->slot[slot]);
        if (left == 0)
            continue;
        const char *name = result->slot_name[slot];
        rule_done(at,
                  "%lld cycles of an instance and a GC-capable object in .%s that refers to it "
                  "are dropped and collected twice",
                  (long long)cycle->cycles, name);
        rule_seen(at,
                  "%lld of %lld cycles are left: 3 instances own %lld references to an object "
                  "put in .%s, and %s has no GC flag",
                  (long long)left, (long long)cycle->cycles, (long long)seen->slot[slot].owned,
                  name, plain);
        rule_expected(at, "no cycle left");
        return rule_breach(at, RULE_SHOWN, name);
    }
    if (owned < 0 && result->type.have_gc)
        return rule_ok(at);
    if (owned < 0)
        return rule_unseen(at, result, "no slot takes an object");
    rule_done(at, "a GC-capable object is put in .%s of 3 instances", result->slot_name[owned]);
    rule_seen(at,
              "they own %lld references to it, and %s has no GC flag; no cycle through it was "
              "seen to stay",
              (long long)seen->slot[owned].owned, plain);
    rule_expected(at, "the GC flag");
    return rule_suspect(at, RULE_COUNTED, result->slot_name[owned]);
}

const struct rule rule_needs_gc = {
    .judge = judge,
    .once = true,
    .explained_by = "dealloc-releases",
};
