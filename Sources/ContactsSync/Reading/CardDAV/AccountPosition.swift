internal import DAV
internal import Foundation
internal import Transfer

/// How far the reading of an account is: its address books, each with the state of its last look. The token of a listing.
struct AccountPosition: Codable, Equatable {
  /// One address book.
  struct Book: Codable, Equatable {
    /// What the hrefs of its cards begin with; the same as long as the book lives, also when the server moves.
    let key: String
    /// Where it is now.
    var url: String
    /// ``CollectionState/encoded``; empty = nothing is known.
    var state = ""
    /// In which form its cards are asked for.
    var form = CardForm.asStored.rawValue
  }

  var books: [Book]
  /// When the books were looked for last, in nanoseconds since 1970.
  var foundAt: Int64

  /// Reads a token; nil for none, or one of another version.
  init?(token: String) {
    guard !token.isEmpty, let position = try? JSONDecoder().decode(Self.self, from: Data(token.utf8)) else {
      return nil
    }
    self = position
  }

  /// Begins with books that were found.
  init(books: [FoundBook], foundAt: Int64) {
    self.foundAt = foundAt
    self.books = []
    let names = books.map { Self.lastPart($0.url) }
    for (book, name) in zip(books, names) {
      // Two books of one name are told apart by their whole paths.
      let isAlone = names.count { $0 == name } == 1
      let form = CardForm(offered: book.cardVersions.isEmpty ? nil : book.cardVersions)
      self.books.append(
        Book(
          key: isAlone ? name : Href(book.url.path)?.path ?? book.url.path, url: book.url.description,
          form: form.rawValue))
    }
  }

  /// The position as a token.
  var token: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  /// The identity of the account: which books it has.
  var identity: String { self.books.map(\.key).sorted().joined(separator: "\n") }

  /// The books that an identity names, of which nothing else is known.
  static func books(ofIdentity identity: String) -> [Book] {
    identity.split(separator: "\n").map { Book(key: String($0), url: "") }
  }

  /// Takes over what is known of the same books, unless their cards come in another form now: then all are read again.
  mutating func adopt(_ known: AccountPosition) {
    for index in self.books.indices {
      let book = self.books[index]
      guard let same = known.books.first(where: { $0.key == book.key }), same.form == book.form else { continue }
      self.books[index].state = same.state
    }
  }

  /// The key of a book that is alone.
  static func lastPart(_ url: WebURL) -> String {
    (Href(url.path)?.path ?? url.path).split(separator: "/").last.map(String.init) ?? ""
  }
}
