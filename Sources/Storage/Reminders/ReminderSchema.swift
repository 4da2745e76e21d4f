extension Migration {
  /// The daily reminder, and every reminder that was made.
  static let reminders = Migration(
    name: "reminders",
    sql: """
      CREATE TABLE daily_reminder (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        body BLOB NOT NULL           -- a DailyReminder message
      ) STRICT;

      -- body: a Reminder message. due: when it comes, or comes again. subject: what there is one reminder of at most: the day
      -- of the daily one.
      CREATE TABLE reminder (
        id INTEGER PRIMARY KEY,
        uuid TEXT NOT NULL UNIQUE,
        subject TEXT UNIQUE,
        kind TEXT NOT NULL,
        state TEXT NOT NULL,
        due INTEGER NOT NULL,
        body BLOB NOT NULL
      ) STRICT;
      CREATE INDEX reminder_open ON reminder (due, id) WHERE state IN ('waiting', 'snoozed', 'due');
      CREATE INDEX reminder_past ON reminder (due, id) WHERE state NOT IN ('waiting', 'snoozed', 'due');
      """)
}
