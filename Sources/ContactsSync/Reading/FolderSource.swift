internal import Bus
import Glibc
internal import KithMessages

/// Reads a folder of card files (vdir) and its subfolders, the layout of vdirsyncer. Keeps nothing between calls.
struct FolderSource: Sendable {
  let path: String
  /// Returns the time of day in nanoseconds since 1970.
  let now: @Sendable () -> Int64

  /// How often a file that changes while it is read is read again before it is left for the next pass.
  private static let attempts = 3
  /// How many folders below the supported depth are searched for cards in one listing.
  private static let searchLimit = 1_000
  /// The largest file, in bytes.
  private static let fileLimit = 17 << 20

  func probe() throws(Failure) -> ProbeSourceReply {
    let whole = try self.listing()
    var reply = ProbeSourceReply()
    reply.items = UInt32(clamping: whole.items.count)
    let folders =
      whole.folders == 0 ? "" : whole.folders == 1 ? " and the folder in it" : " and \(whole.folders) folders in it"
    reply.note =
      whole.items.isEmpty
      ? "The folder\(folders) can be read, and no card files are there. Folders deeper than that are not read."
      : "The folder\(folders) can be read."
    if !whole.problems.isEmpty {
      reply.note +=
        " \(whole.problems.count) entries are left out: links, what is no file, folders that cannot be read or lie too deep."
    }
    return reply
  }

  /// Lists the files, each an item. The href is the file's name, after that of its subfolder; the fingerprint is its
  /// stamp.
  func list(
    yield: @Sendable (ItemBatch) async throws(Failure) -> Void
  ) async throws(Failure) -> ListItemsReply {
    let whole = try self.listing()
    var reply = ListItemsReply()
    reply.identity = whole.identity
    reply.complete = true
    reply.problems = whole.problems
    reply.unlistedUnder = whole.unlisted
    try await ItemBatch.yield(whole.items, yield)
    return reply
  }

  /// The content of the folder and its subfolders.
  private struct Whole {
    var identity = ""
    var items: [SourceItem] = []
    var problems: [Problem] = []
    /// How many subfolders were read.
    var folders = 0
    /// The href prefixes of unreadable folders.
    var unlisted: [String] = []
    /// Whether folders below the supported depth are searched for cards.
    var isSearched = true

    mutating func add(_ listing: Folder.Listing, under beginning: String, seenAt start: Int64) {
      self.items += listing.files.map { entry in
        var item = SourceItem()
        item.href = beginning + entry.name.text
        item.fingerprint = entry.stamp.fingerprint(seenAt: start)
        return item
      }
      self.problems += listing.others.map {
        CardProblem.problem("not_a_file", href: beginning + $0.text, skipped: true)
      }
      self.problems += listing.links.map {
        CardProblem.problem("folder_link", href: beginning + $0.text, skipped: true)
      }
    }

    /// Records that there are too many folders to search: the others are not checked.
    mutating func endSearch() {
      self.isSearched = false
      self.problems.append(CardProblem.problem("folders_not_searched", href: "", skipped: true))
    }

    /// Records an unreadable folder: its contacts stay unchanged.
    mutating func leaveOut(_ beginning: String) {
      self.unlisted.append(beginning)
      self.problems.append(CardProblem.problem("folder_unreadable", href: beginning, skipped: true))
    }
  }

  private func listing() throws(Failure) -> Whole {
    let folder = try Folder(path: self.path)
    let start = self.now()
    let listing = try folder.list()
    var whole = Whole()
    whole.identity = try folder.identity()
    whole.add(listing, under: "", seenAt: start)
    var limit = Self.searchLimit
    for name in listing.folders {
      let beginning = CardPlace.beginning(of: name)
      guard let inner = Folder(name, in: folder) else {
        // It was deleted or replaced; the next pass handles that.
        if !Folder.isGone(errno: errno) { whole.leaveOut(beginning) }
        continue
      }
      guard let listing = try? inner.list() else {
        whole.leaveOut(beginning)
        continue
      }
      whole.folders += 1
      whole.add(listing, under: beginning, seenAt: start)
      for deep in listing.folders where whole.isSearched {
        guard let hasCards = inner.hasCards(in: deep, lookingInto: &limit) else {
          whole.endSearch()
          break
        }
        guard hasCards else { continue }
        whole.problems.append(
          CardProblem.problem("folder_too_deep", href: beginning + deep.text + "/", skipped: true))
      }
      guard whole.items.count <= Folder.limit else {
        throw SourceFault.tooLarge(self.path, "\(Folder.limit) card files")
      }
    }
    return whole
  }

  /// Reads the cards of the named files in order. For a deleted file it returns a card with `vanished` set.
  func fetch(
    _ hrefs: [String], checkpoint: Checkpoint = Checkpoint(),
    yield: @escaping @Sendable (CardBatch) async throws(Failure) -> Void
  ) async throws(Failure) -> FetchItemsReply {
    let folder = try Folder(path: self.path)
    var batcher = CardBatcher(checkpoint: checkpoint, yield)
    var rest = try hrefs.dropFirst(Int(CardBatcher.files(before: checkpoint))).map { href throws(Failure) in
      try CardPlace(href)
    }[...]
    while let first = rest.first {
      let together = rest.prefix { $0.folder == first.folder }
      rest = rest.dropFirst(together.count)
      guard let name = first.folder else {
        for place in together { try await batcher.add(self.read(place, in: folder)) }
        continue
      }
      guard let inner = Folder(name, in: folder) else {
        let isGone = Folder.isGone(errno: errno)
        for place in together {
          let read = isGone ? CardRead.vanished(place.href) : .unreadable(place.href, "file_unreadable")
          try await batcher.add([read])
        }
        continue
      }
      for place in together { try await batcher.add(self.read(place, in: inner)) }
    }
    try await batcher.flush()
    var reply = FetchItemsReply()
    reply.read = UInt32(clamping: batcher.count)
    return reply
  }

  /// The cards of one file; empty if the file keeps changing.
  private func read(_ place: CardPlace, in folder: borrowing Folder) -> [CardRead] {
    let href = place.href
    guard let file = OpenFile(place.name, in: folder) else {
      switch errno {
      case ENOENT: return [CardRead.vanished(href)]
      case ELOOP, EINVAL, ENXIO: return [CardRead.unreadable(href, "not_a_file")]
      default: return [CardRead.unreadable(href, "file_unreadable")]
      }
    }
    for _ in 0..<Self.attempts {
      guard let before = file.stamp() else { break }
      guard before.size <= Self.fileLimit else { return [CardRead.unreadable(href, "file_too_large")] }
      // One byte more than expected shows that the file grew.
      guard let bytes = file.read(Int(before.size) + 1) else { break }
      if let after = file.stamp(), after == before, bytes.count == before.size {
        return CardRead.cards(bytes, href: href, fingerprint: after.fingerprint(seenAt: self.now()))
      }
      file.rewind()
    }
    return file.stamp() == nil ? [CardRead.unreadable(href, "file_unreadable")] : []
  }
}

extension ItemBatch {
  /// Passes on items in batches of 1,000.
  static func yield(
    _ items: [SourceItem], _ yield: @Sendable (ItemBatch) async throws(Failure) -> Void
  ) async throws(Failure) {
    for start in stride(from: 0, to: items.count, by: 1000) {
      guard !Task.isCancelled else { throw .cancelled }
      var batch = ItemBatch()
      batch.items = Array(items[start..<min(start + 1000, items.count)])
      try await yield(batch)
    }
  }
}
