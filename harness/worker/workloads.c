/* The registry of workloads, made from workloads.def. */
#include "workload.h"

#include <string.h>

#define WORKLOAD(workload, ...)                                                                    \
    const struct workload_row workload_row_##workload = {.name = #workload, __VA_ARGS__};
#include "workloads.def"
#undef WORKLOAD

#define WORKLOAD(workload, ...) &workload_##workload,
const struct workload *const workloads[] = {
#include "workloads.def"
    NULL,
};
#undef WORKLOAD

const struct workload *workload_find(const char *name)
{
    for (size_t i = 0; workloads[i] != NULL; i++) {
        if (strcmp(workloads[i]->row->name, name) == 0)
            return workloads[i];
    }
    return NULL;
}
