public import Bus
internal import Foundation
internal import KithMessages

/// The part that talks to a Monica server: reads lists and records, and sends changes.
///
/// May run on another machine. It has no store, and keeps nothing between calls except ``MonicaConnections``.
public struct MonicaRemoteService: Sendable {
  private let connections: MonicaConnections

  /// Makes a service.
  ///
  /// - Parameter connections: The connections to the servers.
  public init(connections: MonicaConnections) { self.connections = connections }

  /// The methods with one answer.
  public var routes: [Route] {
    [
      Route(VerifyAccountRequest.self) { request, context throws(Failure) in try await self.verify(request, context) },
      Route(ReadRecordRequest.self) { request, context throws(Failure) in try await self.read(request, context) },
      Route(ReadCatalogRequest.self) { request, context throws(Failure) in try await self.readCatalog(request, context)
      },
      Route(ReadPhotoRequest.self) { request, context throws(Failure) in try await self.readPhoto(request, context) },
      Route(PushRequest.self) { request, context throws(Failure) in try await self.push(request, context) },
    ]
  }

  /// The methods with an answer in batches.
  public var batchRoutes: [BatchRoute] {
    [
      BatchRoute(PullRequest.self) { request, context, yield throws(Failure) in
        try await self.pull(request, context, yield)
      }
    ]
  }

  // MARK: - Reading

  @concurrent
  private func verify(_ request: VerifyAccountRequest, _ context: CallContext) async throws(Failure)
    -> VerifyAccountReply
  {
    let (client, _) = try await self.connections.client(for: request.account, .record(isUrgent: true), context)
    do throws(MonicaError) {
      return try await client.get(Envelope<UserResource>.self, MonicaClient.Target("me")).data.reply
    } catch {
      // The server answers, but it is not Monica 4.
      switch error.fault {
      case .garbled: throw MonicaError(.notMonica(.webPage)).failure
      case .missing, .refused: throw MonicaError(.notMonica(.unknownPath)).failure
      default: throw error.failure
      }
    }
  }

  @concurrent
  private func read(_ request: ReadRecordRequest, _ context: CallContext) async throws(Failure) -> ReadRecordReply {
    let (client, catalog) = try await self.connections.client(
      for: request.account, .record(isUrgent: request.urgent), context)
    return try await Self.read(try Self.type(request.kind, request.account), request.monicaID, client, catalog)
  }

  private static func read<R: WritableResource>(
    _ type: R.Type, _ id: UInt64, _ client: MonicaClient, _ catalog: CatalogReader
  ) async throws(Failure) -> ReadRecordReply {
    var reply = ReadRecordReply()
    do throws(MonicaError) {
      guard var record = try await client.find(type, type.target(id))?.record else { return reply }
      try await record.nameReverseTypes(catalog)
      reply.found = true
      reply.record = record
    } catch { throw error.failure }
    return reply
  }

  @concurrent
  private func readCatalog(_ request: ReadCatalogRequest, _ context: CallContext) async throws(Failure) -> CatalogReply
  {
    let (_, catalog) = try await self.connections.client(for: request.account, .list(isUrgent: request.urgent), context)
    var reply = CatalogReply()
    do throws(MonicaError) {
      for kind in CatalogKind.allCases { reply.entries += try await catalog.entries(kind, isFresh: true) }
    } catch { throw error.failure }
    return reply
  }

  @concurrent
  private func readPhoto(_ request: ReadPhotoRequest, _ context: CallContext) async throws(Failure) -> ReadPhotoReply {
    let (client, _) = try await self.connections.client(for: request.account, .list(isUrgent: false), context)
    var reply = ReadPhotoReply()
    do throws(MonicaError) {
      let page = try await client.get(ListPage<PhotoResource>.self, PhotoResource.newest(of: request.person))
      guard let photo = page.values.first else { return reply }
      reply.found = true
      reply.mediaType = photo.mediaType
      reply.data = photo.bytes
    } catch {
      // A deleted person has no picture.
      guard error.fault == .missing else { throw error.failure }
    }
    return reply
  }

  // MARK: - Lists and changes

  @concurrent
  private func pull(
    _ request: PullRequest, _ context: CallContext,
    _ yield: @escaping @Sendable (PullPage) async throws(Failure) -> Void
  ) async throws(Failure) -> PullReply {
    let (client, catalog) = try await self.connections.client(
      for: request.account, .list(isUrgent: request.urgent), context)
    return try await Self.pull(try Self.type(request.kind, request.account), request, client, catalog, yield)
  }

  private static func pull<R: WritableResource>(
    _ type: R.Type, _ request: PullRequest, _ client: MonicaClient, _ catalog: CatalogReader,
    _ yield: @escaping @Sendable (PullPage) async throws(Failure) -> Void
  ) async throws(Failure) -> PullReply {
    try await RecordPull<R>(request: request, client: client, catalog: catalog).run(yield)
  }

  @concurrent
  private func push(_ request: PushRequest, _ context: CallContext) async throws(Failure) -> PushReply {
    let (client, catalog) = try await self.connections.client(
      for: request.account, .change(isUrgent: request.urgent), context)
    let kind = try Self.kind(of: request.record)
    return try await Self.push(
      kind.resource(callsAreActivities: request.account.callsAsActivities), request, PushSession(client, catalog))
  }

  private static func push<R: WritableResource>(
    _ type: R.Type, _ request: PushRequest, _ session: PushSession
  ) async throws(Failure) -> PushReply {
    do throws(MonicaError) {
      return try await RecordPush<R>(request: request, session: session).run()
    } catch { throw error.failure }
  }

  // MARK: - Kinds

  private static func type(_ kind: String, _ account: MonicaAccount) throws(Failure) -> any WritableResource.Type {
    guard let known = RecordKind(named: kind) else {
      let kinds = RecordKind.allCases.map(\.name).joined(separator: ", ")
      throw .invalid(field: "kind", "'\(kind.prefix(64))' is none of \(kinds).")
    }
    return known.resource(callsAreActivities: account.callsAsActivities)
  }

  private static func kind(of record: RemoteRecord) throws(Failure) -> RecordKind {
    guard let kind = record.record?.kind else { throw .invalid(field: "record", "must hold a record.") }
    return kind
  }
}
