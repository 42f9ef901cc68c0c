#include "complain.h"

#include <stdarg.h>
#include <stdio.h>

enum exit_code complain(enum exit_code code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fflush(stdout);
    fputs("gctax: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    return code;
}

enum exit_code complain_memory(void)
{
    return complain(EXIT_ENVIRONMENT, "out of memory");
}
