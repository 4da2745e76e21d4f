internal import Bus
internal import KithMessages
internal import SwiftProtobuf

/// Reads a list and passes on its pages.
///
/// The server counts pages by position, so records that are created or deleted meanwhile shift others across page
/// borders. A whole list is therefore read in the order of creation, and read again if its length has changed meanwhile
/// or differs from the number of distinct records.
struct RecordPull<R: Resource>: Sendable {
  let request: PullRequest
  let client: MonicaClient
  let catalog: CatalogReader

  typealias Yield = @Sendable (PullPage) async throws(Failure) -> Void

  /// How often a list is read if its length does not match.
  private static var attempts: Int { 3 }

  /// Reads the list.
  ///
  /// - Returns: The total is the server's count at the end. Only a complete reply proves that a record is not in the
  ///   list; even then one record may have taken the place of another, so that missing records are requested by id.
  func run(_ yield: Yield) async throws(Failure) -> PullReply {
    guard let route = R.list(of: self.request.owner == 0 ? nil : self.request.owner) else {
      throw .invalid(
        field: "owner",
        self.request.owner == 0
          ? "there is no list of all records of this kind; they are part of the people."
          : "there is no list of one person's records of this kind.")
    }
    var reader = ListReader(self.client, route, self.request.newestFirst ? .lastChanged : .asMade)
    var given: Set<UInt64> = []
    var reply = PullReply()
    for _ in 1...Self.attempts {
      var seen: Set<UInt64> = []
      var totals: Set<Int> = []
      var number = max(1, Int(self.request.firstPage))
      while true {
        let page: ListPage<R>
        var message = PullPage()
        do throws(MonicaError) {
          page = try await reader.page(number, of: R.self)
          seen.formUnion(page.values.map(\.head.id))
          totals.insert(page.total)
          message.records = try await self.completed(
            page.values.filter { given.insert($0.head.id).inserted }.map(\.listed))
        } catch { throw error.failure }
        message.page = UInt32(clamping: number)
        message.lastPage = UInt32(clamping: page.lastPage)
        message.total = UInt32(clamping: page.total)
        reply.total = message.total
        reply.pages += 1
        try await yield(message)
        reply.reachedSince = self.isPastSince(page.values, isSorted: route.isSortable)
        let end = self.request.lastPage == 0 ? page.lastPage : min(page.lastPage, Int(self.request.lastPage))
        guard number < end, !reply.reachedSince, !page.values.isEmpty else { break }
        if Task.isCancelled { throw .cancelled }
        number += 1
      }
      let isWhole = self.request.firstPage <= 1 && self.request.lastPage == 0 && !reply.reachedSince
      reply.complete = isWhole && totals == [seen.count]
      guard isWhole, !reply.complete else { break }
    }
    return reply
  }

  /// Whether the page reaches back beyond the requested time. In the server's own order, all of the page has to be
  /// older.
  private func isPastSince(_ values: [R], isSorted: Bool) -> Bool {
    guard self.request.newestFirst, self.request.hasSince, !values.isEmpty else { return false }
    let isOld = { (value: R) in value.head.updatedAt.map { $0.seconds < self.request.since.seconds } ?? false }
    return isSorted ? values.contains(where: isOld) : values.allSatisfy(isOld)
  }

  private func completed(_ records: [RemoteRecord]) async throws(MonicaError) -> [RemoteRecord] {
    var records = records
    for index in records.indices { try await records[index].nameReverseTypes(self.catalog) }
    return records
  }
}

extension RemoteRecord {
  /// Adds the reverse types to a person's relationships; only the catalog has them.
  mutating func nameReverseTypes(_ catalog: CatalogReader) async throws(MonicaError) {
    for index in self.children.indices {
      guard case .relationship(let relationship)? = self.children[index].record, relationship.reverseType.isEmpty else {
        continue
      }
      self.children[index].relationship.reverseType = try await catalog.reverse(ofRelationship: relationship.type)
    }
  }
}
