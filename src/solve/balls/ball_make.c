#include "solve/balls/ball_make.h"
#include <stdlib.h>
int ball_table_make(const struct ball_wish *wish, const struct transport_monitor *monitor, struct ball_table *table)
{
    (void)wish;
    (void)monitor;
    (void)table;
    return 0;
}
void ball_table_free(struct ball_table *table)
{
    free(table->level);
    free(table->row);
    free(table->record);
    *table = (struct ball_table){0};
}
