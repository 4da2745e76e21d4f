import Bus
import EventLoop
import Foundation
import KithMessages

@testable import ContactsSync

/// A source in memory that answers like a folder, a file or an account, on a good or a bad day.
struct ModelSource: Sendable {
  enum Kind: CaseIterable, Sendable { case folder, file, account }

  /// Cards by address book and name. The books of a folder are itself, with an empty name, and its subfolders; a file
  /// has one, with an empty name.
  typealias Cards = [String: [String: Card]]

  /// A card; it keeps its UID and version when it is renamed.
  struct Card: Hashable, Sendable {
    let uid: String
    var version: Int
  }

  /// Its answer to the next pass.
  struct Answer: Sendable, CustomStringConvertible {
    var shows: Cards = [:]
    var isComplete = true
    /// Whether the listing fails, or the reading of cards after the first one.
    var failsToList = false
    var failsToRead = false
    /// Address books that could not be listed, and deleted ones.
    var unlisted: Set<String> = []
    var gone: Set<String> = []
    /// Whether it names only the changes since the token.
    var namesChanges = false
    /// Whether another folder is at the same path.
    var isAnother = false

    var description: String {
      let books = self.shows.sorted { $0.key < $1.key }.map { book, cards in
        let cards = cards.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.uid) v\($0.value.version)" }
        return "'\(book)' \(cards.joined(separator: ", "))"
      }
      let flags = [
        "half": !self.isComplete, "fails to list": self.failsToList, "fails to read": self.failsToRead,
        "changes alone": self.namesChanges, "another folder": self.isAnother,
      ].filter(\.value).keys.sorted()
      return (books + flags + self.unlisted.map { "unlisted '\($0)'" } + self.gone.map { "gone '\($0)'" })
        .joined(separator: "; ")
    }
  }

  let kind: Kind
  var answer = Answer()
  /// The cards in each listing, by its number, which is the state of each listed address book.
  private var shown: [String: Cards] = [:]
  /// The UIDs of the cards named by the last listing.
  private(set) var named: Set<String> = []

  init(_ kind: Kind) { self.kind = kind }

  func href(_ book: String, _ name: String) -> String {
    switch self.kind {
    case .folder: (book.isEmpty ? "" : book + "/") + name + ".vcf"
    case .file: "all.vcf#" + name
    case .account: book + "/" + name + ".vcf"
    }
  }

  /// The address book of a card, by its href.
  static func book(of href: String) -> String { href.firstIndex(of: "/").map { String(href[..<$0]) } ?? "" }

  mutating func list(_ request: ListItemsRequest) throws(Failure) -> (batch: ItemBatch, reply: ListItemsReply) {
    self.named = []
    let answer = self.answer
    guard !answer.failsToList else { throw Failure(.unavailable, "UPSTREAM_DOWN", "It is away.") }
    if self.kind == .file, answer.shows.values.allSatisfy(\.isEmpty) { throw SourceFault.withoutCards("all.vcf") }
    var reply = ListItemsReply()
    var batch = ItemBatch()
    reply.complete = answer.isComplete
    reply.identity = self.identity(isAnother: answer.isAnother)
    let known = AccountPosition(token: request.token)?.books ?? []
    let number = "t\(self.shown.count)"
    var books: [AccountPosition.Book] = []
    for (book, cards) in answer.shows.sorted(by: { $0.key < $1.key }) {
      let beginning = book.isEmpty ? "" : book + "/"
      let state = known.first { $0.key == book }?.state ?? ""
      books.append(.init(key: book, url: "/dav/\(book)", state: number))
      if answer.unlisted.contains(book) || answer.gone.contains(book) {
        let isGone = answer.gone.contains(book)
        let kind = self.kind == .folder ? "folder_unreadable" : isGone ? "book_missing" : "book_unavailable"
        if self.kind == .account || !isGone {
          reply.problems.append(CardProblem.problem(kind, href: beginning, skipped: true))
        }
        if !isGone { reply.unlistedUnder.append(beginning) }
        books[books.count - 1].state = isGone ? "" : state
        continue
      }
      let before = answer.namesChanges ? self.shown[state]?[book] : nil
      if before != nil { reply.unchangedUnder.append(beginning) }
      for (name, card) in cards.sorted(by: { $0.key < $1.key }) where before?[name] != card {
        var item = SourceItem()
        item.href = self.href(book, name)
        item.fingerprint = "\(card.version)"
        batch.items.append(item)
        self.named.insert(card.uid)
      }
      batch.gone += (before ?? [:]).keys.filter { cards[$0] == nil }.map { self.href(book, $0) }
    }
    self.shown[number] = answer.shows
    reply.token = self.kind == .account ? Self.token(of: books) : number
    return (batch, reply)
  }

  private static func token(of books: [AccountPosition.Book]) -> String {
    let books = (try? JSONEncoder().encode(books)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    return "{\"books\":\(books),\"foundAt\":0,\"version\":\(ContactMapping.version)}"
  }

  private func identity(isAnother: Bool) -> String {
    guard self.kind == .account else { return isAnother ? "2" : "1" }
    return self.answer.shows.keys.sorted().map { "\($0) /dav/\($0)" }.joined(separator: "\n")
  }

  func cards(_ hrefs: [String]) -> [CardRead] {
    var there: [String: Card] = [:]
    for (book, cards) in self.answer.shows { for (name, card) in cards { there[self.href(book, name)] = card } }
    return hrefs.flatMap { href in
      guard let card = there[href] else { return [CardRead.vanished(href)] }
      let text = Household.card(uid: card.uid, name: "N \(card.uid)", phone: "+49 \(card.version)")
      return CardRead.cards(Array(text.utf8), href: href, fingerprint: "\(card.version)")
    }
  }
}

/// The port to sources in memory, by name.
final class ModelSources: Sendable {
  private let sources = Lock<[String: ModelSource]>([:])

  subscript(name: String) -> ModelSource {
    get { self.sources.withLock { $0[name] ?? ModelSource(.folder) } }
    set { self.sources.withLock { $0[name] = newValue } }
  }

  var port: LocalBatchPort {
    LocalBatchPort(
      [],
      batches: [
        BatchRoute(ListItemsRequest.self) { request, _, yield throws(Failure) in
          var source = self[request.source.name]
          let answer: (batch: ItemBatch, reply: ListItemsReply)
          do throws(Failure) {
            answer = try source.list(request)
          } catch {
            self[request.source.name] = source
            throw error
          }
          self[request.source.name] = source
          try await yield(answer.batch)
          return answer.reply
        },
        BatchRoute(FetchItemsRequest.self) { request, _, yield throws(Failure) in
          let source = self[request.source.name]
          var batch = CardBatch()
          batch.cards = source.cards(source.answer.failsToRead ? Array(request.hrefs.prefix(1)) : request.hrefs)
          try await yield(batch)
          if source.answer.failsToRead { throw Failure(.unavailable, "UPSTREAM_DOWN", "It is away.") }
          return FetchItemsReply()
        },
      ])
  }
}
