/* What the files of rules work with. */
#include "pycompat.h"

#include "check_case.h"
#include "probe_clear.h"
#include "rule.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROBE(name) extern const struct probe probe_##name;
#include "probes.def"
#undef PROBE

static const struct probe *const probes[CHECK_PROBES] = {
#define PROBE(name) &probe_##name,
#include "probes.def"
#undef PROBE
};

/* ---- What was seen ----------------------------------------------------------------------------
 */

static const struct probe_result *run_probe(struct check *check, const struct probe *probe,
                                            int form)
{
    int index = 0;
    while (index < CHECK_PROBES && probes[index] != probe)
        index++;
    if (index == CHECK_PROBES) {
        PyErr_Format(PyExc_SystemError, "probe %s has no row", probe->name);
        return NULL;
    }
    struct probe_result **known = &check->results[form * CHECK_PROBES + index];
    if (*known != NULL)
        return *known;
    struct probe_result *result = malloc(sizeof *result);
    if (result == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    if (probe_run(probe, check->forms[form].subject, check->limits, result) < 0) {
        free(result);
        return NULL;
    }
    *known = result;
    return result;
}

const struct probe_result *rule_probe(struct rule_case *at, const struct probe *probe)
{
    return run_probe(at->check, probe, at->form);
}

const struct probe_result *rule_probe_type(struct rule_case *at, const struct probe *probe)
{
    return run_probe(at->check, probe, 0);
}

int rule_form(const struct rule_case *at)
{
    return at->form;
}

int rule_forms(const struct rule_case *at)
{
    return at->check->form_count;
}

const struct probe_type *rule_type(struct rule_case *at)
{
    const struct probe_result *result = rule_probe(at, probes[0]);
    return result != NULL ? &result->type : NULL;
}

const struct probe_type *rule_first_type(struct rule_case *at)
{
    const struct probe_result *result = rule_probe_type(at, probes[0]);
    return result != NULL ? &result->type : NULL;
}

PyObject *rule_fact(const struct rule_case *at, const char *name)
{
    PyObject *facts = at->check->facts;
    PyObject *fact = facts != NULL ? PyDict_GetItemString(facts, name) : NULL;
    return fact != Py_None ? fact : NULL;
}

int rule_is_broken(struct rule_case *at, const char *id)
{
    for (int i = 0; i < CHECK_RULES; i++) {
        if (strcmp(check_rows[i].id, id) != 0)
            continue;
        if (check_judge(at->check, i) < 0)
            return -1;
        return at->check->findings[i].verdict >= RULE_SUSPECT;
    }
    PyErr_Format(PyExc_SystemError, "no rule %s", id);
    return -1;
}

bool rule_is_dict(const struct probe_result *result, int slot)
{
    return strcmp(result->slot_name[slot], "__dict__") == 0;
}

bool rule_owns_slot(struct rule_case *at, const struct probe_result *result, int slot)
{
    if (!rule_is_dict(result, slot))
        return true;
    const struct probe_type *first = &at->check->results[0]->type; /* judge_form() has it run */
    return first->dict && !first->managed_dict;
}

int rule_find_slot(const struct probe_result *result, const char *name)
{
    for (int i = 0; i < result->slot_count; i++) {
        if (strcmp(result->slot_name[i], name) == 0)
            return i;
    }
    return -1;
}

/* ---- What to say of it ------------------------------------------------------------------------
 */

#define WRITE(member)                                                                              \
    do {                                                                                           \
        va_list arguments;                                                                         \
        va_start(arguments, format);                                                               \
        vsnprintf(at->finding->member, sizeof at->finding->member, format, arguments);             \
        va_end(arguments);                                                                         \
    } while (0)

void rule_done(struct rule_case *at, const char *format, ...)
{
    WRITE(done);
}

void rule_seen(struct rule_case *at, const char *format, ...)
{
    WRITE(seen);
}

void rule_expected(struct rule_case *at, const char *format, ...)
{
    WRITE(expected);
}

void rule_leads_to(struct rule_case *at, const char *format, ...)
{
    WRITE(leads_to);
}

int rule_untested(struct rule_case *at, const char *format, ...)
{
    WRITE(reason);
    at->finding->verdict = RULE_UNTESTED;
    return 0;
}

int rule_ok(struct rule_case *at)
{
    at->finding->verdict = RULE_OK;
    return 0;
}

static int conclude(struct rule_case *at, enum rule_verdict verdict, enum rule_certainty certainty,
                    const char *slot)
{
    at->finding->verdict = verdict;
    at->finding->certainty = certainty;
    at->finding->slot = slot;
    return 0;
}

int rule_breach(struct rule_case *at, enum rule_certainty certainty, const char *slot)
{
    return conclude(at, RULE_BREACH, certainty, slot);
}

int rule_suspect(struct rule_case *at, enum rule_certainty certainty, const char *slot)
{
    return conclude(at, RULE_SUSPECT, certainty, slot);
}

bool rule_died(const struct probe_result *result)
{
    return result->end.status != PROBE_CHILD_FINISHED && result->end.status != PROBE_CHILD_FAILED;
}

/* How a child ended, with the line of its output that tells most. */
static void describe_end(const struct probe_result *result, char *text, size_t size)
{
    const struct probe_child_end *end = &result->end;
    static const char *const tell[] = {"Assertion", "assertion", "Fatal Python error: ", "Error"};
    const char *line = end->output;
    const char *found = NULL;
    for (size_t i = 0; i < sizeof tell / sizeof *tell && found == NULL; i++)
        found = strstr(end->output, tell[i]);
    while (found != NULL && found > end->output && found[-1] != '\n')
        found--;
    line = found != NULL ? found : line;
    char how[80];
    switch (end->status) {
    case PROBE_CHILD_SIGNALLED:
        snprintf(how, sizeof how, "the process died of signal %d (%s)", end->signal,
                 strsignal(end->signal));
        break;
    case PROBE_CHILD_EXITED:
        snprintf(how, sizeof how, "the process exited with %d", end->exit_code);
        break;
    case PROBE_CHILD_TIMED_OUT:
        snprintf(how, sizeof how, "the process hung and was killed");
        break;
    case PROBE_CHILD_OUT_OF_MEMORY:
        snprintf(how, sizeof how, "the process took too much memory and was killed");
        break;
    case PROBE_CHILD_FAILED:
        snprintf(how, sizeof how, "the probe could not go on");
        line = result->message;
        break;
    default:
        snprintf(how, sizeof how, "the probe finished");
    }
    int length = (int)strcspn(line, "\n");
    snprintf(text, size, "%s%s%.*s", how, length > 0 ? ": " : "", length > 240 ? 240 : length,
             line);
}

int rule_unseen(struct rule_case *at, const struct probe_result *result, const char *otherwise)
{
    if (result->end.status == PROBE_CHILD_FINISHED)
        return rule_untested(at, "%s", otherwise);
    char how[330];
    describe_end(result, how, sizeof how);
    return rule_untested(at, "%s, while %s", how, result->step);
}

int rule_death(struct rule_case *at, const struct probe_result *result)
{
    rule_done(at, "%s", result->step);
    describe_end(result, at->finding->seen, sizeof at->finding->seen);
    rule_expected(at, "the process goes on");
    at->finding->died = true;
    return probe_clear_used(result) ? rule_suspect(at, RULE_SHOWN, NULL)
                                    : rule_breach(at, RULE_SHOWN, NULL);
}

int rule_ended(struct rule_case *at, const struct probe_result *result, const char *step)
{
    if (!rule_died(result) || strncmp(result->step, step, strlen(step)) != 0)
        return 0;
    if (at->form > 0) {
        const struct probe_result *first = run_probe(at->check, result->probe, 0);
        if (first == NULL)
            PyErr_Clear();
        else if (!rule_died(first)) {
            char how[330];
            describe_end(result, how, sizeof how);
            rule_untested(at, "on a Python subclass, see subclass: %s, while %s", how,
                          result->step);
            return 1;
        }
    }
    rule_death(at, result);
    return 1;
}
