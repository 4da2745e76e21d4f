internal import DAV
internal import Foundation
internal import KithMessages
internal import Transfer

/// The position in an account: its address books, each with its state at the last listing. This is the token of a listing.
struct AccountPosition: Codable, Equatable {
  /// One address book.
  struct Book: Codable, Equatable {
    /// What the hrefs of its cards begin with; the same as long as the book lives, also when the server moves, and when a book
    /// of the same name appears beside it.
    let key: String
    /// Where it is now; its path alone where nothing else is known, and empty where not even that is.
    var url: String
    /// ``CollectionState/encoded``; empty = nothing is known.
    var state = ""
    /// The vCard version in which its cards are requested.
    var form = CardForm.asStored.rawValue
    /// Its display name on the server; nil if unknown.
    var name: String?

    /// Its display name.
    var title: String { self.name ?? self.key.removingPercentEncoding ?? self.key }
    /// The path at its server.
    var path: String? { Href(((try? WebURL(self.url))?.path ?? self.url))?.path }
  }

  var books: [Book]
  /// The time of the last discovery, in nanoseconds since 1970.
  var foundAt: Int64
  /// The collections that list the books; nil in tokens of before they were kept.
  var homes: [String]?
  /// ``ContactMapping/version`` of the reader that made it; nil in tokens of before it was kept.
  private var version: Int? = ContactMapping.version

  /// Reads a token; nil for none. In one of another reader the books have no state, so that all their cards are read again.
  init?(token: String) {
    guard !token.isEmpty, let position = try? JSONDecoder().decode(Self.self, from: Data(token.utf8)) else {
      return nil
    }
    self = position
    guard self.version != ContactMapping.version else { return }
    self.version = ContactMapping.version
    for index in self.books.indices { self.books[index].state = "" }
  }

  /// Begins with books that were found.
  ///
  /// - Parameters:
  ///   - known: The books of the last listing; each that is found again keeps its key.
  ///   - homes: The collections that list them.
  init(books: [FoundBook], known: [Book], homes: [WebURL], foundAt: Int64) {
    self.foundAt = foundAt
    self.homes = homes.map(\.description)
    let keys = Dictionary(
      known.compactMap { book in book.path.map { ($0, book.key) } }, uniquingKeysWith: { first, _ in first })
    let paths = books.map { Href($0.url.path)?.path ?? $0.url.path }
    let taken = Set(paths.compactMap { keys[$0] })
    let newNames = zip(books, paths).filter { keys[$1] == nil }.map { Self.lastPart($0.0.url) }
    self.books = zip(books, paths).map { book, path in
      let name = Self.lastPart(book.url)
      // Two books of one name are told apart by their whole paths.
      let isAlone = !taken.contains(name) && newNames.count { $0 == name } == 1
      let form = CardForm(offered: book.cardVersions.isEmpty ? nil : book.cardVersions)
      return Book(
        key: keys[path] ?? (isAlone ? name : path), url: book.url.description, form: form.rawValue,
        name: book.hasName ? book.name : nil)
    }
  }

  /// What people are shown of the books that problems of a kind are about.
  static func titles(of problems: [Problem], _ kind: String, token: String) -> [String] {
    problems.filter { $0.kind == kind }.map { Self.title(ofBook: $0.sourceIdentifier, token: token) }
  }

  /// What people are shown of a book, or of a folder of a source that has no books.
  ///
  /// - Parameter beginning: What the hrefs of its cards begin with.
  static func title(ofBook beginning: String, token: String) -> String {
    let key = String(beginning.dropLast())
    let book = AccountPosition(token: token)?.books.first { $0.key == key }
    return (book ?? Book(key: key, url: "")).title
  }

  /// Lets the next pass list the books of some cards whole, or a source that has no books.
  static func forgetStates(around hrefs: Set<String>, in reply: inout ListItemsReply) {
    guard var position = AccountPosition(token: reply.token) else {
      reply.token = ""
      return
    }
    for index in position.books.indices {
      let beginning = position.books[index].key + "/"
      if hrefs.contains(where: { $0.utf8.starts(with: beginning.utf8) }) { position.books[index].state = "" }
    }
    reply.token = position.token
  }

  /// The position as a token.
  var token: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  /// The identity of the account: which books it has, a line each of key and path. Neither has a blank.
  var identity: String {
    self.books.map { book in [book.key, book.path].compactMap(\.self).joined(separator: " ") }.sorted()
      .joined(separator: "\n")
  }

  /// Forgets books that are gone, in a token and an identity: they are looked for no more.
  static func forget(_ keys: Set<String>, in reply: inout ListItemsReply) {
    guard !keys.isEmpty else { return }
    if var position = AccountPosition(token: reply.token) {
      position.books.removeAll { keys.contains($0.key) }
      reply.token = position.token
    }
    reply.identity = reply.identity.split(separator: "\n").filter { line in
      !keys.contains(String(line.prefix { $0 != " " }))
    }.joined(separator: "\n")
    reply.problems.removeAll {
      keys.contains(String($0.sourceIdentifier.dropLast())) && $0.kind == CardProblem.bookMissing
    }
  }

  /// The keys of books that are at another path now than at the last listing.
  static func moved(from old: String, to new: String) -> [String] {
    let paths = Dictionary(
      self.books(ofIdentity: old).map { ($0.key, $0.url) }, uniquingKeysWith: { first, _ in first })
    return self.books(ofIdentity: new).filter { paths[$0.key].map { $0 != "" } == true && paths[$0.key] != $0.url }
      .map(\.key)
  }

  /// The books that an identity names, of which no more is known than that.
  static func books(ofIdentity identity: String) -> [Book] {
    identity.split(separator: "\n").map { line in
      let fields = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
      return Book(key: String(fields.first ?? ""), url: fields.count > 1 ? String(fields[1]) : "")
    }
  }

  /// Takes over what is known of the same books, unless their cards come in another form now: then all are read again, as
  /// where only the key is the same: a token of another place may be taken for one of this.
  ///
  /// - Parameter keepsForms: Whether to leave the forms as they are, because a home need not tell those of its books.
  mutating func adopt(_ known: AccountPosition, keepsForms: Bool) {
    for index in self.books.indices {
      let book = self.books[index]
      // A look at a home does not tell the names.
      self.books[index].name = book.name ?? known.books.first { $0.key == book.key }?.name
      let same = known.books.first {
        $0.key == book.key && $0.path == book.path && (keepsForms || $0.form == book.form)
      }
      guard let same else { continue }
      self.books[index].state = same.state
      self.books[index].form = same.form
    }
  }

  /// The key of a book that is alone.
  static func lastPart(_ url: WebURL) -> String {
    (Href(url.path)?.path ?? url.path).split(separator: "/").last.map(String.init) ?? ""
  }
}
