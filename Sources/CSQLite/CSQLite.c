#include "CSQLite.h"

#include <sqlite3.h>

void kith_sqlite_uncounted_memory(void) { sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }
