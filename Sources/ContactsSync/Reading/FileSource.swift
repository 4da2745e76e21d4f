internal import Bus
internal import Digest
import Glibc
internal import KithMessages
internal import VCard

/// Reads one file of several cards. It streams the file, so that its size does not matter, and keeps nothing between
/// calls.
struct FileSource: Sendable {
  let path: String
  /// Returns the time of day in nanoseconds since 1970.
  let now: @Sendable () -> Int64

  /// The largest file, in bytes.
  private static let fileLimit: Int64 = 1 << 30

  func probe() throws(Failure) -> ProbeSourceReply {
    let file = try OpenFile(path: self.path)
    var count = 0
    try self.stream(file) { _ in count += 1 }
    guard count > 0 else { throw SourceFault.withoutCards(self.path) }
    var reply = ProbeSourceReply()
    reply.items = UInt32(clamping: count)
    reply.note = "The file is readable."
    return reply
  }

  /// Lists the cards. The href is the file's name and the card's key, the fingerprint a digest of the card's bytes.
  ///
  /// - Parameter token: The file's fingerprint at the last complete listing; while it is the same, the file is not
  ///   read.
  func list(
    token: String, yield: @Sendable (ItemBatch) async throws(Failure) -> Void
  ) async throws(Failure) -> ListItemsReply {
    let file = try OpenFile(path: self.path)
    var reply = ListItemsReply()
    let stamp = try self.stamp(of: file)
    reply.identity = "\(stamp.device)"
    reply.token = stamp.fingerprint(seenAt: self.now())
    reply.unchanged = reply.token == token
    guard !reply.unchanged else { return reply }
    let index = try self.index(file)
    guard index.keys.hasCards else { throw SourceFault.withoutCards(self.path) }
    reply.complete = !index.isCutOff
    try await ItemBatch.yield(
      zip(index.keys.hrefs(file: self.name), index.fingerprints).map { href, fingerprint in
        var item = SourceItem()
        item.href = href
        item.fingerprint = fingerprint
        return item
      }, yield)
    return reply
  }

  /// Reads the named cards. A deleted card is returned with `vanished` set.
  func fetch(
    _ hrefs: [String], yield: @escaping @Sendable (CardBatch) async throws(Failure) -> Void
  ) async throws(Failure) -> FetchItemsReply {
    let file = try OpenFile(path: self.path)
    let before = try self.stamp(of: file)
    let names = try self.index(file).keys.hrefs(file: self.name)
    var wanted = Set(hrefs)
    var batcher = CardBatcher(yield)
    var ordinal = 0
    file.rewind()
    var cards = CardStream(self.path)
    while let raw = try cards.next(file) {
      guard ordinal < names.count else { throw SourceFault.changing(self.path) }
      let href = names[ordinal]
      ordinal += 1
      if wanted.remove(href) != nil { try await batcher.add([Self.read(raw, href: href)]) }
      if wanted.isEmpty { break }
    }
    guard try self.stamp(of: file) == before else { throw SourceFault.changing(self.path) }
    let vanished = wanted.map { href in
      var read = CardRead()
      read.href = href
      read.vanished = true
      return read
    }
    try await batcher.add(vanished)
    try await batcher.flush()
    var reply = FetchItemsReply()
    reply.read = UInt32(clamping: batcher.count)
    return reply
  }

  /// The result of reading the whole file once.
  private struct Index {
    var keys = CardKeys()
    var fingerprints: [String] = []
    /// Whether the end of the file, or a card, is missing.
    var isCutOff = false
  }

  private func index(_ file: borrowing OpenFile) throws(Failure) -> Index {
    var index = Index()
    try self.stream(file) { raw in
      do throws(CardFault) {
        let card = try raw.card()
        index.keys.add(card)
        index.isCutOff = index.isCutOff || card.warnings.contains { $0.kind == .missingEnd }
      } catch {
        index.keys.add(nil)
        index.isCutOff = index.isCutOff || [.cutOff, .cardTooLarge, .lineTooLong].contains(error.kind)
      }
      index.fingerprints.append(Self.fingerprint(raw))
    }
    return index
  }

  /// Passes on all cards of a file, unless the file changes meanwhile.
  private func stream(_ file: borrowing OpenFile, _ body: (RawCard) -> Void) throws(Failure) {
    let before = try self.stamp(of: file)
    guard before.size <= Self.fileLimit else { throw SourceFault.tooLarge(self.path, "1 GiB") }
    var cards = CardStream(self.path)
    while let raw = try cards.next(file) { body(raw) }
    guard try self.stamp(of: file) == before else { throw SourceFault.changing(self.path) }
  }

  private func stamp(of file: borrowing OpenFile) throws(Failure) -> FileStamp {
    guard let stamp = file.stamp() else { throw SourceFault.opening(self.path, errno: errno) }
    return stamp
  }

  private var name: String {
    let last = self.path.utf8.split(separator: UInt8(ascii: "/")).last.map(Array.init) ?? []
    return FileName(last).text
  }

  private static func fingerprint(_ raw: RawCard) -> String {
    "\(ContactMapping.version):" + Hex.encode(SHA256.digest(raw.bytes))
  }

  private static func read(_ raw: RawCard, href: String) -> CardRead {
    do throws(CardFault) {
      return ContactMapping.cardRead(try raw.card(), href: href, fingerprint: Self.fingerprint(raw))
    } catch {
      var read = CardRead()
      read.href = href
      read.fingerprint = Self.fingerprint(raw)
      read.problems = [CardProblem.problem(error, href: href)]
      return read
    }
  }
}

/// Splits a file into cards, piece by piece.
private struct CardStream {
  private let path: String
  private var splitter = CardSplitter()
  private var isAtEnd = false

  init(_ path: String) { self.path = path }

  mutating func next(_ file: borrowing OpenFile) throws(Failure) -> RawCard? {
    while true {
      if let card = self.splitter.next() { return card }
      guard !self.isAtEnd else { return nil }
      guard !Task.isCancelled else { throw .cancelled }
      guard let bytes = file.read(1 << 20) else { throw SourceFault.opening(self.path, errno: errno) }
      if bytes.isEmpty {
        self.splitter.finish()
        self.isAtEnd = true
      } else {
        self.splitter.append(bytes)
      }
    }
  }
}
