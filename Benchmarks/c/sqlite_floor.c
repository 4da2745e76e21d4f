/* The floor of durable commands: the rows of one command (journal, record, event, head of the stream), one FULL commit
 * each, by the plainest C against the same libsqlite3. With `jobs`, that of jobs for workers: kept, given to a worker, done,
 * each with its event, one FULL commit each.
 *
 * cc -O2 -o sqlite_floor sqlite_floor.c -lsqlite3 && ./sqlite_floor DIRECTORY SECONDS [jobs]
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static sqlite3 *db;

static void check(int code, int expected) {
  if (code == expected) return;
  fprintf(stderr, "sqlite: %s\n", sqlite3_errmsg(db));
  exit(1);
}

static void run(const char *sql) { check(sqlite3_exec(db, sql, 0, 0, 0), SQLITE_OK); }

static sqlite3_stmt *prepare(const char *sql) {
  sqlite3_stmt *statement;
  check(sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, 0), SQLITE_OK);
  return statement;
}

static void step(sqlite3_stmt *statement) {
  check(sqlite3_step(statement), SQLITE_DONE);
  sqlite3_reset(statement);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

/* Commands a second. */
static double commit_commands(double seconds) {
  sqlite3_stmt *begin = prepare("BEGIN IMMEDIATE"), *commit = prepare("COMMIT");
  sqlite3_stmt *command = prepare(
      "INSERT INTO command (principal, key, request_id, method, fingerprint, created_at, finished_at, kept_bytes, header,"
      " reply) VALUES ('uid:1000', ?1, ?1, 'kith.v1.Contacts/Restore', ?2, ?3, ?3, ?4, ?5, ?6)");
  sqlite3_stmt *record = prepare("INSERT INTO record VALUES (?, 'A name of usual length', ?)");
  sqlite3_stmt *event = prepare("INSERT INTO event VALUES (3, ?, '', ?, ?, 0, ?)");
  sqlite3_stmt *head = prepare("UPDATE stream SET seq = ? WHERE id = 3");

  unsigned char fingerprint[32] = {1}, header[64] = {2}, reply[48] = {3}, payload[64] = {4};
  char key[48], id[48];
  double start = now();
  long count = 0;
  for (; now() - start < seconds; count++) {
    snprintf(key, sizeof key, "019a0000-%04lx-7%03lx-8000-%012lx", count >> 16 & 0xffff, count & 0xfff, count);
    snprintf(id, sizeof id, "019b0000-%04lx-7%03lx-8000-%012lx", count >> 16 & 0xffff, count & 0xfff, count);
    step(begin);
    sqlite3_bind_text(command, 1, key, 36, SQLITE_STATIC);
    sqlite3_bind_blob(command, 2, fingerprint, sizeof fingerprint, SQLITE_STATIC);
    sqlite3_bind_int64(command, 3, 1700000000000000000 + count);
    sqlite3_bind_int64(command, 4, count * 300);
    sqlite3_bind_blob(command, 5, header, sizeof header, SQLITE_STATIC);
    sqlite3_bind_blob(command, 6, reply, sizeof reply, SQLITE_STATIC);
    step(command);
    sqlite3_bind_text(record, 1, id, 36, SQLITE_STATIC);
    sqlite3_bind_int64(record, 2, 1700000000000000000 + count);
    step(record);
    sqlite3_bind_int64(event, 1, count + 1);
    sqlite3_bind_int64(event, 2, 1700000000000000000 + count);
    sqlite3_bind_text(event, 3, key, 36, SQLITE_STATIC);
    sqlite3_bind_blob(event, 4, payload, sizeof payload, SQLITE_STATIC);
    step(event);
    sqlite3_bind_int64(head, 1, count + 1);
    step(head);
    step(commit);
  }
  return count / (now() - start);
}

/* Jobs a second. */
static double commit_jobs(double seconds) {
  static const char *states[] = {"queued", "leased", "done"};
  sqlite3_stmt *begin = prepare("BEGIN IMMEDIATE"), *commit = prepare("COMMIT");
  sqlite3_stmt *insert = prepare(
      "INSERT INTO job (uuid, key, kept, service, state, attempt, worker, lease, updated_at, command, reply)"
      " VALUES (?1, ?1, 0, 'kith.v1.ContactsSource/Probe', 'queued', 0, '', '', ?2, ?3, zeroblob(0))");
  sqlite3_stmt *update = prepare(
      "UPDATE job SET state = ?1, attempt = 1, worker = 'one', lease = ?2, updated_at = ?3, reply = ?4 WHERE uuid = ?2");
  sqlite3_stmt *event = prepare("INSERT INTO event VALUES (3, ?, ?, ?, '', 0, ?)");
  sqlite3_stmt *head = prepare("UPDATE stream SET seq = ? WHERE id = 3");

  unsigned char command[96] = {1}, reply[48] = {2}, payload[128] = {3};
  char id[48];
  double start = now();
  long count = 0, seq = 0;
  for (; now() - start < seconds; count++) {
    snprintf(id, sizeof id, "019a0000-%04lx-7%03lx-8000-%012lx", count >> 16 & 0xffff, count & 0xfff, count);
    for (int state = 0; state < 3; state++) {
      sqlite3_int64 time = 1700000000000000000 + ++seq;
      step(begin);
      if (state == 0) {
        sqlite3_bind_text(insert, 1, id, 36, SQLITE_STATIC);
        sqlite3_bind_int64(insert, 2, time);
        sqlite3_bind_blob(insert, 3, command, sizeof command, SQLITE_STATIC);
        step(insert);
      } else {
        sqlite3_bind_text(update, 1, states[state], -1, SQLITE_STATIC);
        sqlite3_bind_text(update, 2, id, 36, SQLITE_STATIC);
        sqlite3_bind_int64(update, 3, time);
        sqlite3_bind_blob(update, 4, reply, state == 2 ? sizeof reply : 0, SQLITE_STATIC);
        step(update);
      }
      sqlite3_bind_int64(event, 1, seq);
      sqlite3_bind_text(event, 2, id, 36, SQLITE_STATIC);
      sqlite3_bind_int64(event, 3, time);
      sqlite3_bind_blob(event, 4, payload, sizeof payload, SQLITE_STATIC);
      step(event);
      sqlite3_bind_int64(head, 1, seq);
      step(head);
      step(commit);
    }
  }
  return count / (now() - start);
}

int main(int argc, char **argv) {
  int jobs = argc == 4 && strcmp(argv[3], "jobs") == 0;
  if (argc != 3 && !jobs) return fprintf(stderr, "usage: sqlite_floor DIRECTORY SECONDS [jobs]\n"), 2;
  char path[4096];
  snprintf(path, sizeof path, "%s/floor.db", argv[1]);
  unlink(path);
  check(sqlite3_open(path, &db), SQLITE_OK);
  run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;"
      "CREATE TABLE command (id INTEGER PRIMARY KEY, principal TEXT NOT NULL, key TEXT NOT NULL, request_id TEXT NOT NULL,"
      "  method TEXT NOT NULL, fingerprint BLOB NOT NULL, created_at INTEGER NOT NULL, finished_at INTEGER,"
      "  kept_bytes INTEGER NOT NULL, request BLOB, header BLOB, reply BLOB) STRICT;"
      "CREATE UNIQUE INDEX command_key ON command (principal, key);"
      "CREATE INDEX command_running ON command (id) WHERE finished_at IS NULL;"
      "CREATE TABLE record (id TEXT PRIMARY KEY, name TEXT NOT NULL, changed_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;"
      "CREATE TABLE stream (id INTEGER PRIMARY KEY, seq INTEGER NOT NULL) STRICT; INSERT INTO stream VALUES (3, 0);"
      "CREATE TABLE event (stream INTEGER NOT NULL, seq INTEGER NOT NULL, key TEXT NOT NULL, time INTEGER NOT NULL,"
      "  cause TEXT NOT NULL, tombstone INTEGER NOT NULL, payload BLOB NOT NULL, PRIMARY KEY (stream, seq))"
      "  STRICT, WITHOUT ROWID;"
      "CREATE TABLE job (id INTEGER PRIMARY KEY, uuid TEXT NOT NULL UNIQUE, key TEXT NOT NULL, kept INTEGER NOT NULL,"
      "  service TEXT NOT NULL, state TEXT NOT NULL, attempt INTEGER NOT NULL, worker TEXT NOT NULL, lease TEXT NOT NULL,"
      "  updated_at INTEGER NOT NULL, command BLOB NOT NULL, reply BLOB NOT NULL) STRICT;"
      "CREATE INDEX job_key ON job (key) WHERE kept = 1;"
      "CREATE INDEX job_unended ON job (id) WHERE state IN ('queued', 'leased', 'unknown');"
      "CREATE INDEX job_ended ON job (updated_at, id) WHERE state NOT IN ('queued', 'leased');");
  double seconds = atof(argv[2]);
  if (jobs)
    printf("floor, three FULL commits a job: %.0f jobs/s\n", commit_jobs(seconds));
  else
    printf("floor, one FULL commit a command: %.0f commands/s\n", commit_commands(seconds));
  return 0;
}
