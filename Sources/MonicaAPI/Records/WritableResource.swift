internal import KithMessages
internal import SwiftProtobuf

/// A record that can be changed on the server.
///
/// Records are compared by their *facts*: the values that a person may change, as the server stores them. So a time
/// with a fraction, or a text with a space at its end, does not count as changed when the server returns it.
protocol WritableResource: Resource {
  /// Whether it is gone when its person is: the server lists the records of a deleted person until it purges them, and
  /// fails if one is changed.
  static var belongsToPerson: Bool { get }

  /// The list to search for a record that was just created, and its order; nil if it cannot be found.
  static func search(for want: RemoteRecord) -> (route: ListRoute, order: ListReader.Order)?

  /// Finds the result of an earlier attempt to create `want` where no list has it; nil if there is none, or if it
  /// cannot be recognised.
  static func unlisted(
    _ want: RemoteRecord, since: Int64, _ session: PushSession
  ) async throws(MonicaError) -> Self?

  /// Whether the search is past every possible result of an attempt that was first sent at a time of the server's
  /// clock.
  func isPast(_ want: RemoteRecord, since: Int64) -> Bool

  /// Whether it is the result of an earlier attempt to create `want`, complete or partial.
  func isTrace(of want: RemoteRecord, since: Int64) -> Bool

  /// Which of the server's two records lists contain; the record itself except for relationships.
  func canonical(_ session: PushSession) async throws(MonicaError) -> Self

  /// The comparable values of a record.
  static func facts(_ record: RemoteRecord) -> Facts

  /// The record in the server's direction; only relationships have one.
  static func aligned(
    _ record: RemoteRecord, with current: Self?, _ session: PushSession
  ) async throws(MonicaError) -> RemoteRecord

  /// The body of the request that creates or replaces it.
  static func body(
    _ want: RemoteRecord, over current: Self?, _ catalog: CatalogReader
  ) async throws(MonicaError) -> JSONValue

  /// Creates the record.
  static func make(_ want: RemoteRecord, _ session: PushSession) async throws(MonicaError) -> Self

  /// Changes the record to the wanted values, whichever of them it has already.
  ///
  /// - Parameter base: The record from which the change was made; nil to complete an interrupted attempt.
  func replaced(
    with want: RemoteRecord, base: RemoteRecord?, _ session: PushSession
  ) async throws(MonicaError) -> Self

  /// Adds values that the server stores but does not return.
  static func complete(_ record: inout RemoteRecord, with want: RemoteRecord)
}

extension WritableResource {
  static var belongsToPerson: Bool { true }

  static func search(for want: RemoteRecord) -> (route: ListRoute, order: ListReader.Order)? {
    Self.list(of: want.owner == 0 ? nil : want.owner).map { ($0, .lastMade) }
  }

  static func unlisted(
    _ want: RemoteRecord, since: Int64, _ session: PushSession
  ) async throws(MonicaError) -> Self? { nil }

  func isPast(_ want: RemoteRecord, since: Int64) -> Bool { self.head.createdAt.map { $0.seconds < since } ?? false }

  func isTrace(of want: RemoteRecord, since: Int64) -> Bool {
    guard let record, !self.isPast(want, since: since) else { return false }
    return Self.facts(record).agree(with: Self.facts(want), except: record.unsaid)
  }

  func canonical(_ session: PushSession) async throws(MonicaError) -> Self { self }

  static func aligned(
    _ record: RemoteRecord, with current: Self?, _ session: PushSession
  ) async throws(MonicaError) -> RemoteRecord { record }

  static func make(_ want: RemoteRecord, _ session: PushSession) async throws(MonicaError) -> Self {
    try await session.post(Self.path, try await Self.body(want, over: nil, session.catalog))
  }

  func replaced(
    with want: RemoteRecord, base: RemoteRecord?, _ session: PushSession
  ) async throws(MonicaError) -> Self {
    try await session.put("\(Self.path)/\(self.head.id)", try await Self.body(want, over: self, session.catalog))
  }

  static func complete(_ record: inout RemoteRecord, with want: RemoteRecord) {}
}
