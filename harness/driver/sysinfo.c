#include "sysinfo.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define TEXT_SIZE 8192
#define CGROUP_ROOT "/sys/fs/cgroup"

/* The file's first bytes, without the last line feed; "" where it cannot be read. */
static const char *slurp(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "re");
    size_t length = file ? fread(text, 1, size - 1, file) : 0;
    if (file)
        fclose(file);
    while (length && text[length - 1] == '\n')
        length--;
    text[length] = '\0';
    return text;
}

/* The word in brackets of "always [madvise] never". */
static void chosen(const char *text, char *word, size_t size)
{
    const char *open = strchr(text, '[');
    size_t length = open ? strcspn(open + 1, "]") : 0;
    snprintf(word, size, "%.*s", (int)length, open ? open + 1 : "");
}

/* What stands after "key … : " in a text of lines. */
static void field(const char *text, const char *key, char *value, size_t size)
{
    value[0] = '\0';
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, strlen(key)))
            continue;
        const char *colon = line + strcspn(line, ":\n");
        if (*colon != ':')
            continue;
        colon += 1 + strspn(colon + 1, " \t");
        snprintf(value, size, "%.*s", (int)strcspn(colon, "\n"), colon);
        return;
    }
}

void sysinfo_columns(struct sysinfo_columns *columns)
{
    char text[TEXT_SIZE], word[128];
    memset(columns, 0, sizeof *columns);
    slurp("/proc/cpuinfo", text, sizeof text);
    field(text, "model name", columns->cpu_model, sizeof columns->cpu_model);
    if (!columns->cpu_model[0]) /* arm64 has numbers only */
        field(text, "CPU part", columns->cpu_model, sizeof columns->cpu_model);
    slurp("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", text, sizeof text);
    snprintf(columns->governor, sizeof columns->governor, "%.30s", text);
    slurp("/proc/sys/kernel/randomize_va_space", text, sizeof text);
    snprintf(columns->aslr, sizeof columns->aslr, "%.6s", text);
    chosen(slurp("/sys/kernel/mm/transparent_hugepage/enabled", text, sizeof text), word,
           sizeof word);
    snprintf(columns->thp, sizeof columns->thp, "%.15s", word);
}

double sysinfo_load1(void)
{
    double load;
    return getloadavg(&load, 1) == 1 ? load : NAN;
}

uint64_t sysinfo_available(const char *meminfo)
{
    char value[64];
    field(meminfo, "MemAvailable", value, sizeof value);
    return value[0] ? strtoull(value, NULL, 10) * 1024 : UINT64_MAX;
}

static uint64_t read_limit(const char *path)
{
    char text[64];
    slurp(path, text, sizeof text);
    if (!text[0] || text[strspn(text, "0123456789")])
        return UINT64_MAX; /* no file, or "max" */
    uint64_t limit = strtoull(text, NULL, 10);
    /* Version 1 says "none" as the largest multiple of a page below 2^63. */
    return limit >= UINT64_C(1) << 62 ? UINT64_MAX : limit;
}

/* Smallest limit of the group and its parents, up to the mount. */
static uint64_t walk(const char *mount, const char *group, const char *file)
{
    char place[1024], path[2048];
    uint64_t least = UINT64_MAX;
    snprintf(place, sizeof place, "%s", strcmp(group, "/") ? group : "");
    for (;;) {
        snprintf(path, sizeof path, "%s%s/%s", mount, place, file);
        uint64_t limit = read_limit(path);
        least = limit < least ? limit : least;
        char *slash = strrchr(place, '/');
        if (!slash)
            return least;
        *slash = '\0';
    }
}

static bool has_controller(const char *list, size_t length, const char *name)
{
    size_t size = strlen(name);
    for (size_t at = 0; at + size <= length; at++)
        if (!strncmp(list + at, name, size) && (at == 0 || list[at - 1] == ',') &&
            (at + size == length || list[at + size] == ','))
            return true;
    return false;
}

uint64_t sysinfo_cgroup_limit(const char *root, const char *cgroup)
{
    uint64_t least = UINT64_MAX;
    /* Lines ID:CONTROLLERS:PATH; version 2 is 0::PATH. */
    for (const char *line = cgroup; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        const char *list = strchr(line, ':'), *group = list ? strchr(list + 1, ':') : NULL;
        char place[1024], mount[512];
        uint64_t limit = UINT64_MAX;
        if (!group)
            continue;
        list++;
        snprintf(place, sizeof place, "%.*s", (int)strcspn(group + 1, "\n"), group + 1);
        if (group == list) {
            limit = walk(root, place, "memory.max");
            snprintf(mount, sizeof mount, "%s/unified", root);
            uint64_t hybrid = walk(mount, place, "memory.max");
            limit = hybrid < limit ? hybrid : limit;
        } else if (has_controller(list, (size_t)(group - list), "memory")) {
            snprintf(mount, sizeof mount, "%s/memory", root);
            limit = walk(mount, place, "memory.limit_in_bytes");
        }
        least = limit < least ? limit : least;
    }
    return least;
}

uint64_t sysinfo_memory_limit(void)
{
    char text[TEXT_SIZE];
    uint64_t available = sysinfo_available(slurp("/proc/meminfo", text, sizeof text));
    uint64_t group =
        sysinfo_cgroup_limit(CGROUP_ROOT, slurp("/proc/self/cgroup", text, sizeof text));
    uint64_t least = available < group ? available : group;
    return least == UINT64_MAX ? least : least / 5 * 4;
}

/* The caches of CPU 0 as the kernel lists them; where it lists none (virtual machines), as the C
 * library reads them from the processor, which may count a cache that other machines share. */
static void caches(void (*each)(void *context, const char *key, const char *value), void *context)
{
    static const struct {
        const char *key;
        int name;
    } known[] = {{"cache_l1_Data", _SC_LEVEL1_DCACHE_SIZE},
                 {"cache_l2_Unified", _SC_LEVEL2_CACHE_SIZE},
                 {"cache_l3_Unified", _SC_LEVEL3_CACHE_SIZE}};
    char path[128], level[16], type[32], size[32], key[64];
    bool listed = false;

    for (int index = 0; index < 8; index++) {
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/level", index);
        slurp(path, level, sizeof level);
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/type", index);
        slurp(path, type, sizeof type);
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", index);
        slurp(path, size, sizeof size);
        snprintf(key, sizeof key, "cache_l%s_%s", level, type);
        if (level[0] && size[0]) {
            each(context, key, size);
            listed = true;
        }
    }
    for (size_t i = 0; !listed && i < sizeof known / sizeof *known; i++) {
        long bytes = sysconf(known[i].name);
        snprintf(size, sizeof size, "%ldK", bytes / 1024);
        if (bytes > 0)
            each(context, known[i].key, size);
    }
}

void sysinfo_each(void (*each)(void *context, const char *key, const char *value), void *context)
{
    static const struct {
        const char *key, *path;
    } files[] = {
        {"clocksource", "/sys/devices/system/clocksource/clocksource0/current_clocksource"},
        {"cpus_online", "/sys/devices/system/cpu/online"},
        {"cpus_isolated", "/sys/devices/system/cpu/isolated"},
        {"cpus_nohz_full", "/sys/devices/system/cpu/nohz_full"},
        {"smt_active", "/sys/devices/system/cpu/smt/active"},
        {"turbo_off", "/sys/devices/system/cpu/intel_pstate/no_turbo"},
        {"hypervisor", "/sys/hypervisor/type"},
        {"thp_defrag", "/sys/kernel/mm/transparent_hugepage/defrag"},
        {"overcommit", "/proc/sys/vm/overcommit_memory"},
        {"swappiness", "/proc/sys/vm/swappiness"},
    };
    char text[TEXT_SIZE], value[256];
    struct sysinfo_columns columns;
    struct utsname kernel;
    sysinfo_columns(&columns);
    each(context, "cpu_model", columns.cpu_model);
    each(context, "governor", columns.governor);
    each(context, "aslr", columns.aslr);
    each(context, "thp", columns.thp);
    if (!uname(&kernel)) {
        snprintf(value, sizeof value, "%.60s %.60s %.120s", kernel.sysname, kernel.release,
                 kernel.version);
        each(context, "kernel", value);
        each(context, "machine", kernel.machine);
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        each(context, files[i].key, slurp(files[i].path, text, sizeof text));
    caches(each, context);
    slurp("/proc/meminfo", text, sizeof text);
    field(text, "MemTotal", value, sizeof value);
    each(context, "memory_total", value);
    field(text, "MemAvailable", value, sizeof value);
    each(context, "memory_available", value);
    uint64_t limit =
        sysinfo_cgroup_limit(CGROUP_ROOT, slurp("/proc/self/cgroup", text, sizeof text));
    snprintf(value, sizeof value, "%" PRIu64, limit);
    each(context, "cgroup_memory_limit_bytes", limit == UINT64_MAX ? "none" : value);
    double load = sysinfo_load1();
    snprintf(value, sizeof value, "%.2f", load);
    each(context, "load1", isnan(load) ? "" : value);
}
