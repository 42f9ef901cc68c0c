#include "pycompat.h"

#include "check.h"
#include "check_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RULE(number_, name, id_, SEVERITY, leads_to_, source_, doc_, probed_)                      \
    {.number = number_,                                                                            \
     .id = id_,                                                                                    \
     .severity = RULE_##SEVERITY,                                                                  \
     .leads_to = leads_to_,                                                                        \
     .source = source_,                                                                            \
     .doc = doc_,                                                                                  \
     .probed = probed_,                                                                            \
     .rule = &rule_##name},
const struct check_row check_rows[CHECK_RULES] = {
#include "rules.def"
};

const char *check_verdict_text(enum rule_verdict verdict)
{
    static const char *const texts[] = {[RULE_UNTESTED] = "untested",
                                        [RULE_OK] = "ok",
                                        [RULE_SUSPECT] = "suspect",
                                        [RULE_BREACH] = "breach"};
    return texts[verdict];
}

const char *check_certainty_text(enum rule_certainty certainty)
{
    static const char *const texts[] = {
        [RULE_SHOWN] = "shown", [RULE_COUNTED] = "counted", [RULE_INFERRED] = "inferred"};
    return texts[certainty];
}

const char *check_severity_text(enum rule_severity severity)
{
    static const char *const texts[] = {
        [RULE_ERROR] = "error", [RULE_WARNING] = "warning", [RULE_NOTE] = "note"};
    return texts[severity];
}

/* ---- One rule ---------------------------------------------------------------------------------
 */

/* Judges a rule on one form. 0, or -1 with an exception. */
static int judge_form(struct check *check, int index, int form, struct check_finding *finding)
{
    const struct rule *rule = check_rows[index].rule;
    struct rule_case at = {.check = check, .index = index, .form = form, .finding = finding};
    *finding = (struct check_finding){.verdict = RULE_UNTESTED, .form = form};
    const struct probe_type *first = rule_first_type(&at);
    const struct probe_type *type = first != NULL ? rule_type(&at) : NULL;
    if (type == NULL)
        return -1;
    if (rule->needs_gc && first->known && !first->have_gc)
        return rule_untested(&at, "no GC flag");
    return rule->judge(&at);
}

/* Words of a finding that make it one that follows from another rule's. */
static void explain(struct check_finding *finding, const struct check_row *cause)
{
    char seen[sizeof finding->seen];
    memcpy(seen, finding->seen, sizeof seen);
    finding->verdict = RULE_UNTESTED;
    finding->died = false;
    snprintf(finding->reason, sizeof finding->reason, "%s breaks %s, which can explain: %.300s",
             "the type", cause->id, seen);
}

/* Whether a rule that this one names as a cause of its own findings is broken, too: *cause becomes
 * its row, or NULL. */
static int find_cause(struct check *check, int index, const struct check_row **cause)
{
    const char *rest = check_rows[index].rule->explained_by;
    *cause = NULL;
    while (rest != NULL && *rest != '\0') {
        size_t length = strcspn(rest, " ");
        for (int i = 0; i < CHECK_RULES; i++) {
            const char *id = check_rows[i].id;
            if (strlen(id) != length || strncmp(id, rest, length) != 0)
                continue;
            if (check_judge(check, i) < 0)
                return -1;
            if (check->findings[i].verdict >= check->findings[index].verdict) {
                *cause = &check_rows[i];
                return 0;
            }
        }
        rest += length + strspn(rest + length, " ");
    }
    return 0;
}

int check_judge(struct check *check, int index)
{
    struct check_finding *finding = &check->findings[index];
    if (check->begun[index])
        return 0; /* done, or asked for by a rule that this one asked for */
    check->begun[index] = true;
    const struct rule *rule = check_rows[index].rule;
    int forms = rule->once ? 1 : check->form_count;
    for (int form = 0; form < forms; form++) {
        struct check_finding found;
        if (judge_form(check, index, form, &found) < 0)
            return -1;
        if (form == 0 || found.verdict > finding->verdict)
            *finding = found;
    }
    if (finding->verdict < RULE_SUSPECT)
        return 0;
    if (finding->leads_to[0] == '\0')
        snprintf(finding->leads_to, sizeof finding->leads_to, "%s", check_rows[index].leads_to);
    const struct check_row *cause;
    if (find_cause(check, index, &cause) < 0)
        return -1;
    if (cause != NULL)
        explain(finding, cause);
    return 0;
}

/* ---- All rules --------------------------------------------------------------------------------
 */

/* Is the death that one finding is about rather the cause than that of the other? */
static bool is_simpler(const struct check *check, int one, int other)
{
    const enum rule_verdict verdict = check->findings[one].verdict;
    if (verdict != check->findings[other].verdict)
        return verdict > check->findings[other].verdict;
    return check_rows[one].rule->death < check_rows[other].rule->death;
}

/* Of the rules that found a death the simplest is to blame, and none where something corrupts. A
 * suspect explains no breach. */
static void settle_deaths(struct check *check)
{
    int cause = -1;
    for (int i = 0; i < CHECK_RULES; i++) {
        const struct check_finding *finding = &check->findings[i];
        if (finding->verdict == RULE_BREACH && !finding->died && check_rows[i].rule->corrupts)
            cause = i;
    }
    for (int i = 0; i < CHECK_RULES && (cause < 0 || check->findings[cause].died); i++) {
        if (check->findings[i].died && (cause < 0 || is_simpler(check, i, cause)))
            cause = i;
    }
    for (int i = 0; i < CHECK_RULES; i++) {
        if (check->findings[i].died && i != cause)
            explain(&check->findings[i], &check_rows[cause]);
    }
}

/* Whether the caller asked for a rule, by its id among the fact "rules": without that, for all. -1
 * with an exception. */
static int is_asked_for(const struct check *check, int index)
{
    PyObject *asked = check->facts != NULL ? PyDict_GetItemString(check->facts, "rules") : NULL;
    if (asked == NULL || asked == Py_None)
        return 1;
    PyObject *id = PyUnicode_FromString(check_rows[index].id);
    int found = id != NULL ? PySequence_Contains(asked, id) : -1;
    Py_XDECREF(id);
    return found;
}

int check_run(const struct check_form *forms, int form_count, PyObject *facts,
              const struct probe_limits *limits, struct check_finding findings[CHECK_RULES])
{
    struct check check = {
        .forms = forms,
        .form_count = form_count,
        .facts = facts,
        .limits = limits,
        .findings = findings,
    };
    int failed = -1;
    check.results = calloc((size_t)form_count * CHECK_PROBES, sizeof *check.results);
    if (check.results == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    memset(findings, 0, CHECK_RULES * sizeof *findings);
    for (int i = 0; i < CHECK_RULES; i++) {
        int asked = is_asked_for(&check, i);
        if (asked < 0 || (asked > 0 && check_judge(&check, i) < 0))
            goto done;
    }
    for (int i = 0; i < CHECK_RULES; i++) {
        if (!check.begun[i])
            snprintf(findings[i].reason, sizeof findings[i].reason, "not asked for");
    }
    settle_deaths(&check);
    failed = 0;
done:
    for (int i = 0; i < form_count * CHECK_PROBES; i++) {
        if (check.results[i] != NULL)
            probe_result_free(check.results[i]);
        free(check.results[i]);
    }
    free(check.results);
    return failed;
}
