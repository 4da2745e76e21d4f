#ifndef KITH_CSQLITE_H
#define KITH_CSQLITE_H

/// Has SQLite allocate memory without counting it. Counting takes a lock of the whole process for each allocation. To be called before
/// the process opens its first database; later it does nothing. In C, because sqlite3_config takes any number of arguments.
void kith_sqlite_uncounted_memory(void);

#endif
