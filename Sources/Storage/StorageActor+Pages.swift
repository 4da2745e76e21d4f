public import Bus
public import KithMessages

extension StorageActor {
  /// Writes a list to a file page by page, so that no more than a page is in memory, for a client to fetch within 24 hours.
  ///
  /// Between two pages others may write: the file holds each page as it was read.
  ///
  /// - Parameters:
  ///   - head: What comes before the first page.
  ///   - tail: What comes after the last.
  ///   - page: Gives the bytes of the page that begins at a cursor, empty for the first, and the cursor of the next one; an
  ///     empty one ends the list.
  /// - Throws: What `page` throws; `RESOURCE_EXHAUSTED/DISK_FULL`. Nothing is left of the file then.
  public nonisolated func stage(
    mediaType: String, head: [UInt8] = [], tail: [UInt8] = [],
    page: @escaping @Sendable (ReadView, _ cursor: String) throws(Failure) -> (bytes: [UInt8], next: String)
  ) async throws(Failure) -> BlobRef {
    let walk = PageWalk(self, head: head, tail: tail, page: page)
    return try await self.stage(mediaType: mediaType) { () async throws(Failure) in try await walk.next() }
  }
}

/// Goes through a list from its head to its tail.
private actor PageWalk {
  private enum Place {
    case head
    case page(cursor: String)
    case tail
    case end
  }

  private let storage: StorageActor
  private let head: [UInt8]
  private let tail: [UInt8]
  private let page: @Sendable (ReadView, String) throws(Failure) -> (bytes: [UInt8], next: String)
  private var place = Place.head

  init(
    _ storage: StorageActor, head: [UInt8], tail: [UInt8],
    page: @escaping @Sendable (ReadView, String) throws(Failure) -> (bytes: [UInt8], next: String)
  ) {
    self.storage = storage
    self.head = head
    self.tail = tail
    self.page = page
  }

  func next() async throws(Failure) -> [UInt8]? {
    switch self.place {
    case .head:
      self.place = .page(cursor: "")
      return self.head
    case .page(let cursor):
      let page = self.page
      let (bytes, next) = try await self.storage.read { view throws(Failure) in try page(view, cursor) }
      self.place = next.isEmpty ? .tail : .page(cursor: next)
      return bytes
    case .tail:
      self.place = .end
      return self.tail
    case .end:
      return nil
    }
  }
}
