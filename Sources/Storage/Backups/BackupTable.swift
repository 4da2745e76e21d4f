public import Bus
internal import GRDB
public import KithMessages

extension Migration {
  /// The backups that were made.
  static let backups = Migration(
    name: "backups",
    sql: """
      -- body: a MadeBackup message.
      CREATE TABLE made_backup (
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE,
        made INTEGER NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('good', 'failed')),
        body BLOB NOT NULL
      ) STRICT;
      CREATE INDEX made_backup_made ON made_backup (made);
      """)
}

extension DatabaseView {
  /// The backups that were made.
  public var backups: BackupTable<Self> { BackupTable(view: self) }
}

/// The backups that are kept in the folder, and attempts that failed.
public struct BackupTable<View: DatabaseView> {
  /// The most failed attempts that are kept: the newest.
  static var failedKept: Int { 20 }

  let view: View

  /// All of them, newest first.
  public func all() throws(Failure) -> [MadeBackup] { try self.messages.all("ORDER BY made DESC, id DESC") }

  private var messages: MessageTable<MadeBackup, View> { MessageTable(view: self.view, name: "made_backup") }
}

extension BackupTable where View == Transaction {
  /// Stores what came of an attempt, says it in the stream `system`, and deletes the oldest of too many failed ones.
  public func put(_ backup: MadeBackup) throws(Failure) {
    try self.adopt(backup)
    try self.view.attempt { database in
      try EngineStatement(
        database,
        """
        DELETE FROM made_backup WHERE state = 'failed' AND id NOT IN
          (SELECT id FROM made_backup WHERE state = 'failed' ORDER BY made DESC, id DESC LIMIT ?)
        """
      ).run([.integer(Int64(Self.failedKept))])
    }
    var event = Event()
    event.system.kind = "backup.\(backup.state)"
    event.system.text = backup.fault.isEmpty ? backup.name : backup.fault
    try self.view.emit(event, on: EventStream.system.name)
  }

  /// Stores one that was made earlier.
  public func adopt(_ backup: MadeBackup) throws(Failure) {
    try self.messages.put(
      backup, key: ["name": .text(backup.name)],
      columns: ["made": .integer(backup.made.nanosecondsSince1970), "state": .text(backup.state)])
  }

  /// Forgets one whose file is gone.
  public func forget(_ name: String) throws(Failure) {
    try self.view.attempt { database in try database.run("DELETE FROM made_backup WHERE name = ?", .text(name)) }
  }
}
