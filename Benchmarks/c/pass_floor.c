/* The floor of a first pass: the rows of a store that has them, written into an empty store of the same schema by the plainest C against
 * the same libsqlite3, in the batches of a pass, one FULL commit each. Nothing is read, parsed or prepared meanwhile.
 *
 * cc -O2 -o pass_floor pass_floor.c -lsqlite3 && ./pass_floor STORE/kith.db DIRECTORY
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The number of the batch of a contact: the first has 100, the others 400. */
#define BATCH(row) "CASE WHEN " row " <= 100 THEN 0 ELSE 1 + (" row " - 101) / 400 END"

/* Tables in the order in which a batch writes them; the first column of a query is the number of the batch. */
static const char *const tables[][2] = {
  {"blob", "SELECT " BATCH("min(contact.id)") ", blob.* FROM blob JOIN contact ON photo_sha256 = sha256 GROUP BY sha256 ORDER BY 1"},
  {"contact", "SELECT " BATCH("id") ", * FROM contact ORDER BY id"},
  {"contact_value", "SELECT " BATCH("contact") ", * FROM contact_value ORDER BY contact, kind, position"},
  {"contact_address", "SELECT " BATCH("contact") ", * FROM contact_address ORDER BY contact, position"},
  {"contact_search", "SELECT " BATCH("contact") ", * FROM contact_search ORDER BY contact"},
  {"contact_names (rowid, names)", "SELECT " BATCH("contact") ", contact, names FROM contact_search ORDER BY contact"},
  {"contact_words (rowid, words)", "SELECT " BATCH("contact") ", contact, words FROM contact_search ORDER BY contact"},
  {"name_word", "SELECT " BATCH("min(owner) / 2") ", name_word.* FROM name_word JOIN name_use ON name_use.word = id GROUP BY id ORDER BY 1, id"},
  {"name_use", "SELECT " BATCH("owner / 2") " AS batch, name_use.* FROM name_use ORDER BY batch, name_use.word, owner"},
  {"card", "SELECT " BATCH("contact") ", * FROM card ORDER BY contact"},
};
enum { TABLES = sizeof tables / sizeof *tables };

/* The rows of a table, value after value, and the statement that inserts one. */
struct rows {
  sqlite3_value **values;
  int *batches;
  size_t count, capacity, next;
  int columns;
  sqlite3_stmt *insertion;
};

static sqlite3 *from, *to;

static void check(sqlite3 *db, int code, int expected) {
  if (code == expected) return;
  fprintf(stderr, "sqlite: %s\n", sqlite3_errmsg(db));
  exit(1);
}

static void run(const char *sql) { check(to, sqlite3_exec(to, sql, 0, 0, 0), SQLITE_OK); }

static sqlite3_stmt *prepare(sqlite3 *db, const char *sql) {
  sqlite3_stmt *statement;
  check(db, sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, 0), SQLITE_OK);
  return statement;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

static void *require(void *memory) {
  if (memory) return memory;
  fprintf(stderr, "no memory\n");
  exit(1);
}

static struct rows load(const char *const table[2]) {
  struct rows rows = {0};
  sqlite3_stmt *query = prepare(from, table[1]);
  rows.columns = sqlite3_column_count(query) - 1;
  while (sqlite3_step(query) == SQLITE_ROW) {
    if (rows.count == rows.capacity) {
      rows.capacity = rows.capacity ? 2 * rows.capacity : 1024;
      rows.batches = require(realloc(rows.batches, rows.capacity * sizeof *rows.batches));
      rows.values = require(realloc(rows.values, rows.capacity * (size_t)rows.columns * sizeof *rows.values));
    }
    rows.batches[rows.count] = sqlite3_column_int(query, 0);
    for (int column = 0; column < rows.columns; column++)
      rows.values[rows.count * (size_t)rows.columns + (size_t)column] =
        require(sqlite3_value_dup(sqlite3_column_value(query, column + 1)));
    rows.count++;
  }
  sqlite3_finalize(query);
  char sql[512];
  int length = snprintf(sql, sizeof sql, "INSERT INTO %s VALUES (?", table[0]);
  for (int column = 1; column < rows.columns; column++) length += snprintf(sql + length, sizeof sql - (size_t)length, ", ?");
  snprintf(sql + length, sizeof sql - (size_t)length, ")");
  rows.insertion = prepare(to, sql);
  return rows;
}

static void bind(sqlite3_stmt *statement, int index, sqlite3_value *value) {
  switch (sqlite3_value_type(value)) {
  case SQLITE_INTEGER: sqlite3_bind_int64(statement, index, sqlite3_value_int64(value)); break;
  case SQLITE_TEXT: {
    // The length is asked for after the text, which may be converted first.
    const char *text = (const char *)sqlite3_value_text(value);
    sqlite3_bind_text(statement, index, text, sqlite3_value_bytes(value), SQLITE_STATIC);
    break;
  }
  case SQLITE_BLOB: {
    const void *bytes = sqlite3_value_blob(value);
    // An empty value has no address, and would be NULL.
    sqlite3_bind_blob(statement, index, bytes ? bytes : "", sqlite3_value_bytes(value), SQLITE_STATIC);
    break;
  }
  default: sqlite3_bind_null(statement, index);
  }
}

static void write_batch(struct rows *rows, int batch) {
  for (; rows->next < rows->count && rows->batches[rows->next] <= batch; rows->next++) {
    for (int column = 0; column < rows->columns; column++)
      bind(rows->insertion, column + 1, rows->values[rows->next * (size_t)rows->columns + (size_t)column]);
    check(to, sqlite3_step(rows->insertion), SQLITE_DONE);
    sqlite3_reset(rows->insertion);
  }
}

int main(int count, char **arguments) {
  if (count < 3) {
    fprintf(stderr, "usage: pass_floor STORE/kith.db DIRECTORY\n");
    return 2;
  }
  sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  check(from, sqlite3_open_v2(arguments[1], &from, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, 0), SQLITE_OK);
  char path[4096];
  snprintf(path, sizeof path, "%s/floor.db", arguments[2]);
  check(to, sqlite3_open_v2(path, &to, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, 0), SQLITE_OK);
  run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -4096");
  /* The full-text indexes make their own tables. */
  sqlite3_stmt *schema = prepare(
    from, "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT IN ("
          "SELECT name FROM pragma_table_list WHERE type = 'shadow') ORDER BY type <> 'table', rowid");
  while (sqlite3_step(schema) == SQLITE_ROW) run((const char *)sqlite3_column_text(schema, 0));
  sqlite3_finalize(schema);
  struct rows rows[TABLES];
  int last = 0;
  for (int table = 0; table < TABLES; table++) {
    rows[table] = load(tables[table]);
    if (rows[table].count && rows[table].batches[rows[table].count - 1] > last) last = rows[table].batches[rows[table].count - 1];
  }
  double start = now();
  for (int batch = 0; batch <= last; batch++) {
    run("BEGIN IMMEDIATE");
    for (int table = 0; table < TABLES; table++) write_batch(&rows[table], batch);
    run("COMMIT");
  }
  printf("writing the rows of %zu contacts: %.3f s\n", rows[1].count, now() - start);
  return 0;
}
