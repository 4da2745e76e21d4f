internal import GRDB
internal import KithMessages
internal import SwiftProtobuf

/// A person or a contact of the address book, as the index of names has both.
struct NameOwner: Hashable, Sendable {
  /// What an owner is; the raw value is the lowest bit of its number.
  enum Kind: Int64 {
    case contact
    case person
  }

  /// The number in the index.
  let number: Int64

  init(number: Int64) { self.number = number }
  init(_ kind: Kind, row: Int64) { self.number = row * 2 + kind.rawValue }
  init(contact row: Int64) { self.init(.contact, row: row) }
  init(person row: Int64) { self.init(.person, row: row) }

  var kind: Kind { self.number.isMultiple(of: 2) ? .contact : .person }
  /// The row of the contact or of the person.
  var row: Int64 { self.number / 2 }
  /// The row of the contact; nil for a person.
  var contact: Int64? { self.kind == .contact ? self.row : nil }
  /// The row of the person; nil for a contact.
  var person: Int64? { self.kind == .person ? self.row : nil }
}

/// The index of names, of people and contacts alike: each word by its ``NameKey``, from its beginning, from its end and by its
/// sound.
///
/// A word is stored once, however many have it: of the names of a whole address book, most words are common ones.
struct NameIndex {
  let database: Database

  /// Stores the words of an owner in place of those of before.
  func set(_ words: NameWords, of owner: NameOwner) throws {
    try self.remove(owner)
    try self.insert([(owner, words)])
  }

  /// Stores the words of owners who have none. A word that many of them have is looked up once.
  func insert(_ names: [(owner: NameOwner, words: NameWords)]) throws {
    var rows: [NameWords.Entry: Int64] = [:]
    var uses: [(word: Int64, owner: Int64)] = []
    for (owner, words) in names {
      for entry in words.entries {
        let row = try rows[entry] ?? self.row(of: entry)
        rows[entry] = row
        uses.append((row, owner.number))
      }
    }
    // In the order of the table.
    uses.sort { $0 < $1 }
    let insertion = try EngineStatement(self.database, "INSERT OR IGNORE INTO name_use (word, owner) VALUES (?, ?)")
    for use in uses { try insertion.run([.integer(use.word), .integer(use.owner)]) }
  }

  /// The row of a word, which is stored if it is not yet.
  private func row(of entry: NameWords.Entry) throws -> Int64 {
    let known = try self.database.first(
      "SELECT id FROM name_word WHERE word = ? AND sound = ?", .text(entry.text), .text(entry.sound)
    ) { $0.integer(0) }
    if let known { return known }
    let isWord = !entry.text.hasPrefix(NameWords.initialMark)
    try self.database.run(
      "INSERT INTO name_word (word, sound, backwards) VALUES (?, ?, ?)", .text(entry.text), .text(entry.sound),
      .text(isWord ? String(String.UnicodeScalarView(entry.text.unicodeScalars.reversed())) : ""))
    return self.database.lastInsertedRowID
  }

  /// Removes an owner.
  func remove(_ owner: NameOwner) throws {
    try self.database.run("DELETE FROM name_use WHERE owner = ?", .integer(owner.number))
  }
}

extension Migration {
  /// The index of names, of people and contacts alike. It takes the place of `person_spelling`.
  static let names = Migration(
    name: "names",
    sql: """
      -- word: as NameKey writes it, or initials, or a sound. backwards: a word from its end; empty for initials and sounds.
      CREATE TABLE name_word (
        id INTEGER PRIMARY KEY,
        word TEXT NOT NULL UNIQUE,
        backwards TEXT NOT NULL
      ) STRICT;
      CREATE INDEX name_word_backwards ON name_word (backwards) WHERE backwards <> '';
      -- word: a row of name_word. owner: twice the row of a contact; twice the row of a person, and one.
      CREATE TABLE name_use (
        word INTEGER NOT NULL,
        owner INTEGER NOT NULL,
        PRIMARY KEY (word, owner)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX name_use_owner ON name_use (owner);
      -- A word that nobody has any more is a name that somebody had removed.
      CREATE TRIGGER name_use_removed AFTER DELETE ON name_use
      WHEN NOT EXISTS (SELECT 1 FROM name_use WHERE word = old.word) BEGIN
        DELETE FROM name_word WHERE id = old.word;
      END;
      CREATE VIEW name_entry AS
        SELECT name_word.word, name_word.backwards, name_use.owner
        FROM name_word JOIN name_use ON name_use.word = name_word.id;
      DROP TABLE person_spelling;
      """
  ) { _ in
    // The step `nameSounds` drops these tables, makes new ones, and fills the new ones.
  }

  /// The sound of a word belongs to the word: a row of its own for each owner made up almost half of `name_use`.
  static let nameSounds = Migration(
    name: "name_sounds",
    sql: """
      DROP VIEW name_entry;
      DROP TABLE name_use;
      DROP TABLE name_word;
      -- word: as NameKey writes it, or initials. sound: what the word sounds like; empty for initials. Words that NameKey writes alike
      -- may sound otherwise. backwards: a word from its end; empty for initials.
      CREATE TABLE name_word (
        id INTEGER PRIMARY KEY,
        word TEXT NOT NULL,
        sound TEXT NOT NULL,
        backwards TEXT NOT NULL
      ) STRICT;
      CREATE UNIQUE INDEX name_word_entry ON name_word (word, sound);
      CREATE INDEX name_word_sound ON name_word (sound) WHERE sound <> '';
      CREATE INDEX name_word_backwards ON name_word (backwards) WHERE backwards <> '';
      -- word: a row of name_word. owner: twice the row of a contact; twice the row of a person, and one.
      CREATE TABLE name_use (
        word INTEGER NOT NULL,
        owner INTEGER NOT NULL,
        PRIMARY KEY (word, owner)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX name_use_owner ON name_use (owner);
      -- A word that nobody has any more is a name that somebody had removed.
      CREATE TRIGGER name_use_removed AFTER DELETE ON name_use
      WHEN NOT EXISTS (SELECT 1 FROM name_use WHERE word = old.word) BEGIN
        DELETE FROM name_word WHERE id = old.word;
      END;
      CREATE VIEW name_entry AS
        SELECT name_word.word, name_word.sound, name_word.backwards, name_use.owner
        FROM name_word JOIN name_use ON name_use.word = name_word.id;
      """
  ) { database in
    let contacts = try Row.fetchCursor(
      database,
      sql: """
        SELECT id, formatted_name, coalesce(given, ''), family, middle, phonetic_given, phonetic_family, phonetic_middle,
          nickname, organization, phonetic_organization
        FROM contact WHERE deleted_at IS NULL
        """)
    while let row = try contacts.next() {
      let names = (1...10).map { row[$0] as String }
      let words = NameWords(names: names, pairs: [(names[2], names[1]), (names[5], names[4])])
      try NameIndex(database: database).insert([(NameOwner(contact: row[0]), words)])
    }
    let people = try Row.fetchAll(database, sql: "SELECT id FROM record WHERE kind = 1 AND deleted_at IS NULL")
    for person in people { try PersonSearchIndex(database: database).rebuild(person[0]) }
  }
}
