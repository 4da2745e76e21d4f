internal import Bus
import Glibc
internal import KithMessages

/// Reads a folder of card files (vdir). It keeps nothing between calls.
struct FolderSource: Sendable {
  let path: String
  /// Gives the time of day in nanoseconds since 1970.
  let now: @Sendable () -> Int64

  /// A file that changes while it is read is read again at most so often, then left for the next pass.
  private static let attempts = 3
  /// The largest file, in bytes.
  private static let fileLimit = 17 << 20

  func probe() throws(Failure) -> ProbeSourceReply {
    let listing = try Folder(path: self.path).list()
    var reply = ProbeSourceReply()
    reply.items = UInt32(clamping: listing.files.count)
    reply.note = listing.files.isEmpty ? "The folder is readable and holds no card files." : "The folder is readable."
    if !listing.others.isEmpty { reply.note += " \(listing.others.count) links or folders named .vcf are left out." }
    return reply
  }

  /// Lists the files, each an item. The name is its href, the stamp its fingerprint.
  func list(
    yield: @Sendable (ItemBatch) async throws(Failure) -> Void
  ) async throws(Failure) -> ListItemsReply {
    let folder = try Folder(path: self.path)
    let start = self.now()
    let listing = try folder.list()
    var reply = ListItemsReply()
    reply.identity = try folder.identity()
    reply.complete = true
    reply.problems = listing.others.map { CardProblem.problem("not_a_file", href: $0.text, skipped: true) }
    try await ItemBatch.yield(
      listing.files.map { entry in
        var item = SourceItem()
        item.href = entry.name.text
        item.fingerprint = entry.stamp.fingerprint(seenAt: start)
        return item
      }, yield)
    return reply
  }

  /// Reads the cards of the named files in their order. A file that is gone gives a card that says so.
  func fetch(
    _ hrefs: [String], checkpoint: Checkpoint = Checkpoint(),
    yield: @escaping @Sendable (CardBatch) async throws(Failure) -> Void
  ) async throws(Failure) -> FetchItemsReply {
    let folder = try Folder(path: self.path)
    var batcher = CardBatcher(checkpoint: checkpoint, yield)
    for href in hrefs.dropFirst(Int(CardBatcher.files(before: checkpoint))) {
      try await batcher.add(self.read(try FileName(text: href), in: folder))
    }
    try await batcher.flush()
    var reply = FetchItemsReply()
    reply.read = UInt32(clamping: batcher.count)
    return reply
  }

  /// The cards of one file; empty when it does not hold still.
  private func read(_ name: FileName, in folder: borrowing Folder) -> [CardRead] {
    guard let file = OpenFile(name, in: folder) else {
      switch errno {
      case ENOENT: return [CardRead.vanished(name.text)]
      case ELOOP, EINVAL, ENXIO: return [CardRead.unreadable(name.text, "not_a_file")]
      default: return [CardRead.unreadable(name.text, "file_unreadable")]
      }
    }
    for _ in 0..<Self.attempts {
      guard let before = file.stamp() else { break }
      guard before.size <= Self.fileLimit else { return [CardRead.unreadable(name.text, "file_too_large")] }
      // One byte more than there should be shows a file that grew.
      guard let bytes = file.read(Int(before.size) + 1) else { break }
      if let after = file.stamp(), after == before, bytes.count == before.size {
        return CardRead.cards(bytes, href: name.text, fingerprint: after.fingerprint(seenAt: self.now()))
      }
      file.rewind()
    }
    return file.stamp() == nil ? [CardRead.unreadable(name.text, "file_unreadable")] : []
  }
}

extension ItemBatch {
  /// Hands items on in batches of 1,000.
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
