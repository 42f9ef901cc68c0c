#include "pycompat.h"

#include "probe_stored.h"
#include "probe_visits.h"
#include "rule.h"

#include <stdio.h>

static int judge(struct rule_case *at)
{
    const struct probe_result *result = rule_probe(at, &probe_visits);
    if (result == NULL)
        return -1;
    const struct probe_visits *seen = RULE_SEEN(visits, result);
    if (!result->type.known)
        return rule_unseen(at, result, "no instance was made");
    if (!result->type.heap)
        return rule_untested(at, "not a heap type");
    if (result->type.have_gc)
        return rule_ok(at);
    const struct probe_result *copies = rule_probe(at, &probe_stored);
    if (copies == NULL)
        return -1;
    const struct probe_stored *stored = RULE_SEEN(stored, copies);
    char owned[160] = "its instances own a reference to it that the collector cannot see";
    if (RULE_KNOWN(seen->type_owned))
        snprintf(owned, sizeof owned,
                 "%lld instances own %lld references to it that the collector cannot see",
                 (long long)seen->instances, (long long)seen->type_owned);
    rule_expected(at, "the GC flag, and a tp_traverse that visits the type");
    if (probe_stored_for_instance(stored)) {
        rule_done(at,
                  "%lld fresh copies of the module, each with an instance of its own as an "
                  "attribute, are dropped and collected twice",
                  (long long)stored->copies);
        rule_seen(at,
                  "%s is a heap type without the GC flag: %lld of %lld copies are left, and "
                  "%lld of as many without the attribute; %s",
                  result->type.name, (long long)stored->stored_left, (long long)stored->copies,
                  (long long)stored->used_left, owned);
        return rule_breach(at, RULE_SHOWN, NULL);
    }
    rule_done(at, "the flags of the type are read and %lld instances are made",
              (long long)(RULE_KNOWN(seen->instances) ? seen->instances : 0));
    rule_seen(at,
              "%s is a heap type without the GC flag; %s; no copy of its module was seen to "
              "stay for it",
              result->type.name, owned);
    return rule_suspect(at, RULE_COUNTED, NULL);
}

const struct rule rule_heap_type_no_gc = {.judge = judge, .once = true};
