#include "progress.h"

#include "process.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Without a terminal, one line every so many seconds. */
#define LINE_SECONDS 10.0
#define ERASE "\r\033[K"

void progress_begin(struct progress *progress, size_t total, size_t to_measure)
{
    *progress = (struct progress){.live = isatty(STDERR_FILENO) != 0,
                                  .total = total,
                                  .to_measure = to_measure,
                                  .began = process_now()};
    progress->next_line = progress->began;
}

static void time_left(const struct progress *progress, double now, char text[32])
{
    text[0] = '\0';
    if (!progress->measured)
        return;
    double left = (now - progress->began) / (double)progress->measured *
                  (double)(progress->to_measure - progress->measured);
    long seconds = (long)(left + 0.5);
    if (seconds >= 3600)
        snprintf(text, 32, ", %ld:%02ld:%02ld left", seconds / 3600, seconds / 60 % 60,
                 seconds % 60);
    else
        snprintf(text, 32, ", %ld:%02ld left", seconds / 60, seconds % 60);
}

void progress_cell(struct progress *progress, const char *what)
{
    double now = process_now();
    char left[32], failed[32] = "", line[512];
    if (!progress->live && now < progress->next_line)
        return;
    time_left(progress, now, left);
    if (progress->failed)
        snprintf(failed, sizeof failed, ", %zu failed", progress->failed);
    snprintf(line, sizeof line, "%zu/%zu%s%s: %s", progress->done, progress->total, failed, left,
             what);
    if (progress->live) {
        struct winsize size = {0};
        if (!ioctl(STDERR_FILENO, TIOCGWINSZ, &size) && size.ws_col > 1 &&
            size.ws_col < sizeof line)
            line[size.ws_col - 1] = '\0';
        fprintf(stderr, ERASE "%s", line);
    } else {
        fprintf(stderr, "gctax: %s\n", line);
        progress->next_line = now + LINE_SECONDS;
    }
}

void progress_done(struct progress *progress, bool measured, bool failed)
{
    progress->done++;
    progress->measured += measured;
    progress->failed += failed;
}

void progress_line(struct progress *progress, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (progress->live)
        fputs(ERASE, stderr);
    fputs("gctax: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

void progress_end(struct progress *progress)
{
    if (progress->live)
        fputs(ERASE, stderr);
}
