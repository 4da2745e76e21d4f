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
  init(contact row: Int64) { self.number = row * 2 }
  init(person row: Int64) { self.number = row * 2 + 1 }

  /// The row of the contact; nil for a person.
  var contact: Int64? { self.number.isMultiple(of: 2) ? self.number / 2 : nil }
  /// The row of the person; nil for a contact.
  var person: Int64? { self.number.isMultiple(of: 2) ? nil : self.number / 2 }
}

/// The index of names, of people and contacts alike: each word by its ``NameKey``, from its beginning and from its end.
///
/// A word is stored once, however many have it: of the names of a whole address book, most words are common ones.
struct NameIndex {
  let database: Database

  /// Stores the words of an owner in place of those of before.
  func set(_ words: NameWords, of owner: NameOwner) throws {
    try self.remove(owner)
    try self.insert(words, of: owner)
  }

  /// Stores the words of an owner who has none.
  func insert(_ words: NameWords, of owner: NameOwner) throws {
    for entry in words.entries {
      if try self.use(entry, by: owner) { continue }
      let isWord = entry.utf8.first.map { $0 > 0x1F } ?? false
      try self.database.run(
        "INSERT OR IGNORE INTO name_word (word, backwards) VALUES (?, ?)", .text(entry),
        .text(isWord ? String(String.UnicodeScalarView(entry.unicodeScalars.reversed())) : ""))
      _ = try self.use(entry, by: owner)
    }
  }

  /// Gives a stored word to an owner; false if it is not stored.
  private func use(_ entry: String, by owner: NameOwner) throws -> Bool {
    try self.database.run(
      "INSERT OR IGNORE INTO name_use (word, owner) SELECT id, ?2 FROM name_word WHERE word = ?1", .text(entry),
      .integer(owner.number))
    return self.database.changesCount > 0
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
  ) { database in
    let index = NameIndex(database: database)
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
      try index.insert(words, of: NameOwner(contact: row[0]))
    }
    let people = try Row.fetchAll(database, sql: "SELECT id FROM record WHERE kind = 1 AND deleted_at IS NULL")
    for person in people { try PersonSearchIndex(database: database).rebuild(person[0]) }
  }
}
