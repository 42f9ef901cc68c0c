#include "pycompat.h"

#include "probe_threads.h"
#include "rule.h"

static int judge(struct rule_case *at)
{
    const struct probe_result *result = rule_probe(at, &probe_threads);
    if (result == NULL)
        return -1;
    const struct probe_threads *seen = RULE_SEEN(threads, result);
    if (rule_ended(at, result, "using") || rule_ended(at, result, "destroying an instance that"))
        return 0;
    if (!RULE_KNOWN(seen->released))
        return rule_unseen(at, result, "the threads did not come to their end");
    if (seen->released == 0 && (!RULE_KNOWN(seen->kept_once) || seen->kept <= seen->kept_once))
        return rule_ok(at);
    rule_done(at, "%lld threads fill instances, their own and one that they share, in %lld turns",
              (long long)seen->threads, (long long)seen->turns);
    rule_seen(at,
              "of what they put into it %lld references were released once too often, and %lld "
              "never",
              (long long)seen->released, (long long)seen->kept);
    rule_expected(at, "as many references as before");
    return rule_breach(at, RULE_COUNTED, NULL);
}

const struct rule rule_threads = {
    .judge = judge,
    .once = true,
    .death = 96,
    .explained_by = "dealloc-releases growth clear-twice traverse-counts resurrection gc-allocator "
                    "tracked wrongly-untracked",
};
