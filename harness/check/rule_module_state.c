#include "pycompat.h"

#include "probe_stored.h"
#include "rule.h"

static int judge(struct rule_case *at)
{
    const struct probe_result *result = rule_probe(at, &probe_stored);
    if (result == NULL)
        return -1;
    const struct probe_stored *seen = RULE_SEEN(stored, result);
    if (rule_ended(at, result, "dropping copies of the module"))
        return 0;
    if (!RULE_KNOWN(seen->copies))
        return rule_unseen(at, result, "its module cannot be copied: it is one for the process");
    const bool bare = probe_stored_left(seen, seen->bare_left);
    if (!bare && !probe_stored_left(seen, seen->used_left))
        return rule_ok(at);
    rule_done(at, "%lld fresh copies of the module%s are dropped and collected twice",
              (long long)seen->copies,
              bare ? "" : ", in each of which an instance lived and died,");
    rule_seen(at, "%lld of them are left%s", (long long)(bare ? seen->bare_left : seen->used_left),
              bare ? "" : ", and not those in which no instance was made");
    rule_expected(at, "none: what a module makes is its own, not the process's");
    return rule_breach(at, RULE_SHOWN, NULL);
}

const struct rule rule_module_state = {
    .judge = judge,
    .once = true,
    .death = 94,
    .explained_by =
        "visit-type dealloc-type dealloc-releases dealloc-actual-type tracked gc-allocator "
        "track-once shutdown-crash",
};
