internal import KithMessages
internal import SwiftProtobuf

/// A record that can be changed on the server.
///
/// Records are compared by their *facts*: what a person may change of them, in the form in which the server keeps it.
/// So a time with a fraction, or a text with a space at its end, does not count as changed when it comes back.
protocol WritableResource: Resource {
  /// Whether it is gone when its person is: the server lists what belongs to somebody who was deleted until it is
  /// purged, and fails when that is changed.
  static var belongsToPerson: Bool { get }

  /// Where what was just made is looked for, and in which order; nil where it cannot be found.
  static func search(for want: RemoteRecord) -> (route: ListRoute, order: ListReader.Order)?

  /// Looks for what an earlier attempt to make `want` has left where no list shows it; nil where there is nothing of it, or no way to
  /// tell.
  static func unlisted(
    _ want: RemoteRecord, since: Int64, _ session: PushSession
  ) async throws(MonicaError) -> Self?

  /// Whether the search is past everything that may be the record, which was first sent at a moment of the server's
  /// clock.
  func isPast(_ want: RemoteRecord, since: Int64) -> Bool

  /// Whether it is what an earlier attempt to make `want` has left, whole or in part.
  func isTrace(of want: RemoteRecord, since: Int64) -> Bool

  /// The one of the server's two records that lists bring; itself for all but relationships.
  func canonical(_ session: PushSession) async throws(MonicaError) -> Self

  /// What can be compared of a record.
  static func facts(_ record: RemoteRecord) -> Facts

  /// The record in the direction in which the server has it; only relationships have any.
  static func aligned(
    _ record: RemoteRecord, with current: Self?, _ session: PushSession
  ) async throws(MonicaError) -> RemoteRecord

  /// What is sent to make or replace it.
  static func body(
    _ want: RemoteRecord, over current: Self?, _ catalog: CatalogReader
  ) async throws(MonicaError) -> JSONValue

  /// Makes it.
  static func make(_ want: RemoteRecord, _ session: PushSession) async throws(MonicaError) -> Self

  /// Makes it what is wanted, whatever of that is there already.
  ///
  /// - Parameter base: What it was when the change was made; nil when it is completed after an attempt that was cut
  ///   off.
  func replaced(
    with want: RemoteRecord, base: RemoteRecord?, _ session: PushSession
  ) async throws(MonicaError) -> Self

  /// Adds what the server has since it was sent, and does not say.
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
