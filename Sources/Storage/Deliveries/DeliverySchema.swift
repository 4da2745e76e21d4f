extension Migration {
  /// Channels, what goes over them, and what the reminders say about that.
  static let deliveries = Migration(
    name: "deliveries",
    sql: """
      CREATE TABLE channel (
        name TEXT NOT NULL PRIMARY KEY,
        body BLOB NOT NULL           -- a Channel message, without its secret
      ) STRICT, WITHOUT ROWID;

      -- body: a DeliveryEntry message. notice: a Notice message; NULL when nobody needs it any more. subject: what is said once
      -- at most. A channel takes what it gets in the order of ids.
      CREATE TABLE delivery (
        id INTEGER PRIMARY KEY,
        uuid TEXT NOT NULL UNIQUE,
        subject TEXT UNIQUE,
        reminder TEXT NOT NULL,
        channel TEXT NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('pending', 'sending', 'delivered', 'failed', 'unknown', 'discarded')),
        changed_at INTEGER NOT NULL,
        body BLOB NOT NULL,
        notice BLOB
      ) STRICT;
      CREATE INDEX delivery_open ON delivery (channel, id) WHERE state IN ('pending', 'sending');
      CREATE INDEX delivery_of_channel ON delivery (channel, id);
      CREATE INDEX delivery_of_reminder ON delivery (reminder, id) WHERE reminder <> '';
      CREATE INDEX delivery_over ON delivery (changed_at) WHERE state NOT IN ('pending', 'sending');

      CREATE TABLE reminder_settings (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        body BLOB NOT NULL,          -- a ReminderSettings message
        last_day TEXT NOT NULL       -- YYYY-MM-DD: the last day whose reminders of people were dealt with
      ) STRICT;
      """)
}
