/* `gctax list KIND`: the tables, as text for people or CSV for programs. */
#ifndef GCTAX_LIST_H
#define GCTAX_LIST_H

/* argv[0] is "list". Exit code of gctax. */
int list_command(int argc, const char **argv);
void list_help(void);

#endif
