internal import GRDB
internal import KithMessages
internal import SwiftProtobuf

/// A person or a contact of the address book, as the index of names has both.
struct NameOwner: Hashable, Sendable {
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
struct NameIndex {
  let database: Database

  /// Stores the words of an owner in place of those of before.
  func set(_ words: NameWords, of owner: NameOwner) throws {
    try self.remove(owner)
    try self.insert(words, of: owner)
  }

  /// Stores the words of a new owner.
  func insert(_ words: NameWords, of owner: NameOwner) throws {
    for entry in words.entries {
      let isWord = entry.utf8.first.map { $0 > 0x1F } ?? false
      try self.database.run(
        "INSERT OR IGNORE INTO name_word (word, owner, backwards) VALUES (?, ?, ?)", .text(entry),
        .integer(owner.number),
        .text(isWord ? String(String.UnicodeScalarView(entry.unicodeScalars.reversed())) : ""))
    }
  }

  /// Removes an owner.
  func remove(_ owner: NameOwner) throws {
    try self.database.run("DELETE FROM name_word WHERE owner = ?", .integer(owner.number))
  }
}

extension Migration {
  /// The index of names, of people and contacts alike. It takes the place of `person_spelling`.
  static let names = Migration(
    name: "names",
    sql: """
      -- word: as NameKey writes it, or initials, or a sound. owner: twice the row of a contact; twice the row of a person, and one.
      CREATE TABLE name_word (
        word TEXT NOT NULL,
        owner INTEGER NOT NULL,
        backwards TEXT NOT NULL,
        PRIMARY KEY (word, owner)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX name_word_backwards ON name_word (backwards) WHERE backwards <> '';
      CREATE INDEX name_word_owner ON name_word (owner);
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
