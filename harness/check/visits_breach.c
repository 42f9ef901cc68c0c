#include "pycompat.h"

#include "visits_breach.h"

static int breach(struct rule_case *at, const char *what, int64_t owned, int64_t visited,
                  const char *slot)
{
    rule_seen(at, "the instances own %lld references to %s; traverse shows %lld", (long long)owned,
              what, (long long)visited);
    rule_expected(at, "%lld visits", (long long)owned);
    return rule_breach(at, RULE_COUNTED, slot);
}

int visits_breach(struct rule_case *at, const char *what, int64_t instances, int64_t owned,
                  int64_t visited)
{
    rule_done(at, "%lld instances are made, and traverse is asked for what they refer to",
              (long long)instances);
    return breach(at, what, owned, visited, NULL);
}

int visits_breach_in_slot(struct rule_case *at, const struct probe_visits_slot *seen,
                          const char *name)
{
    rule_done(at, "one object is put in .%s of 3 instances and traverse is asked for it", name);
    return breach(at, "an object put there", seen->owned, seen->visited, name);
}
