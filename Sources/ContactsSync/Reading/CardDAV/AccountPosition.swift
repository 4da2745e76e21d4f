internal import DAV
internal import Foundation
internal import KithMessages
internal import Transfer

/// The position in an account: its address books, each with its state at the last listing. It is the token of a
/// listing.
struct AccountPosition: Codable, Equatable {
  /// One address book.
  struct Book: Codable, Equatable {
    /// The prefix of its cards' hrefs. It stays the same for the life of the address book, even if the server moves or
    /// another book of the same name appears.
    let key: String
    /// Its present URL; only the path if the server is unknown, empty if the path is unknown too.
    var url: String
    /// ``CollectionState/encoded``; empty if unknown.
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
  /// The collections that list the address books; nil in tokens of earlier versions.
  var homes: [String]?
  /// ``ContactMapping/version`` of the reader that made it; nil in tokens of earlier versions.
  private var version: Int? = ContactMapping.version

  /// Parses a token; nil for an empty one. In a token of another reader version the books lose their state, so that all
  /// their cards are read again.
  init?(token: String) {
    guard !token.isEmpty, let position = try? JSONDecoder().decode(Self.self, from: Data(token.utf8)) else {
      return nil
    }
    self = position
    guard self.version != ContactMapping.version else { return }
    self.version = ContactMapping.version
    for index in self.books.indices { self.books[index].state = "" }
  }

  /// Makes a position from the address books that a discovery found.
  ///
  /// - Parameters:
  ///   - known: The address books of the last listing; those that are found again keep their keys.
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
      // Two books of one name get keys from their whole paths.
      let isAlone = !taken.contains(name) && newNames.count { $0 == name } == 1
      let form = CardForm(offered: book.cardVersions.isEmpty ? nil : book.cardVersions)
      return Book(
        key: keys[path] ?? (isAlone ? name : path), url: book.url.description, form: form.rawValue,
        name: book.hasName ? book.name : nil)
    }
  }

  /// The display names of the address books that have problems of a kind.
  static func titles(of problems: [Problem], _ kind: String, token: String) -> [String] {
    problems.filter { $0.kind == kind }.map { Self.title(ofBook: $0.sourceIdentifier, token: token) }
  }

  /// The display name of an address book, or of a folder of a source without address books.
  ///
  /// - Parameter beginning: The prefix of its cards' hrefs.
  static func title(ofBook beginning: String, token: String) -> String {
    let key = String(beginning.dropLast())
    let book = AccountPosition(token: token)?.books.first { $0.key == key }
    return (book ?? Book(key: key, url: "")).title
  }

  /// Makes the next pass list the whole address books of some cards, or the whole of a source without address books.
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

  /// The identity of the account: the key and path of each address book, one a line. Neither contains a blank.
  var identity: String {
    self.books.map { book in [book.key, book.path].compactMap(\.self).joined(separator: " ") }.sorted()
      .joined(separator: "\n")
  }

  /// Removes deleted address books from a token and an identity, so that they are no longer searched for.
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

  /// The keys of address books whose path has changed since the last listing.
  static func moved(from old: String, to new: String) -> [String] {
    let paths = Dictionary(
      self.books(ofIdentity: old).map { ($0.key, $0.url) }, uniquingKeysWith: { first, _ in first })
    return self.books(ofIdentity: new).filter { paths[$0.key].map { $0 != "" } == true && paths[$0.key] != $0.url }
      .map(\.key)
  }

  /// The address books of an identity, without any state.
  static func books(ofIdentity identity: String) -> [Book] {
    identity.split(separator: "\n").map { line in
      let fields = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
      return Book(key: String(fields.first ?? ""), url: fields.count > 1 ? String(fields[1]) : "")
    }
  }

  /// Takes over the state of the same address books. If their cards are now requested in another form, or if only the
  /// key is the same, the state is dropped and every card is read again: a token of another place may be valid here by
  /// chance.
  ///
  /// - Parameter keepsForms: True to leave the forms as they are, because a home need not list the forms of its books.
  mutating func adopt(_ known: AccountPosition, keepsForms: Bool) {
    for index in self.books.indices {
      let book = self.books[index]
      // A listing of a home has no names.
      self.books[index].name = book.name ?? known.books.first { $0.key == book.key }?.name
      let same = known.books.first {
        $0.key == book.key && $0.path == book.path && (keepsForms || $0.form == book.form)
      }
      guard let same else { continue }
      self.books[index].state = same.state
      self.books[index].form = same.form
    }
  }

  /// The key of an address book whose name is unique.
  static func lastPart(_ url: WebURL) -> String {
    (Href(url.path)?.path ?? url.path).split(separator: "/").last.map(String.init) ?? ""
  }
}
