public import Bus
internal import EventLoop
internal import KithMessages

/// The reading side of contacts sources: lists and parses folders and files of cards, and the address books of
/// accounts.
///
/// May run on another machine. It has no store, and keeps only open connections between calls. Each call reads on its
/// own thread.
public struct ContactsSourceService: Sendable {
  private let accounts: AccountConnections?
  private let now: @Sendable () -> Int64

  /// Makes a service.
  ///
  /// - Parameters:
  ///   - accounts: The connections to accounts; nil if accounts are not supported.
  ///   - now: Returns the time of day in nanoseconds since 1970.
  public init(accounts: AccountConnections? = nil, now: @escaping @Sendable () -> Int64 = WallClock.nanoseconds) {
    self.accounts = accounts
    self.now = now
  }

  /// The methods with one answer.
  public var routes: [Route] {
    [
      Route(ProbeSourceRequest.self) { request, _ throws(Failure) in
        try await Self.onThread { () async throws(Failure) in try await self.probe(request) }
      },
      Route(FindBooksRequest.self) { request, _ throws(Failure) in
        try await Self.onThread { () async throws(Failure) in try await self.find(request) }
      },
    ]
  }

  /// The methods with an answer in batches.
  public var batchRoutes: [BatchRoute] {
    [
      BatchRoute(ListItemsRequest.self) { request, context, yield throws(Failure) in
        context.report(stage: "listing")
        return try await Self.onThread { () async throws(Failure) in try await self.list(request, yield) }
      },
      BatchRoute(FetchItemsRequest.self) { request, context, yield throws(Failure) in
        try await Self.onThread { () async throws(Failure) in
          try await self.fetch(request, context.checkpoint, yield)
        }
      },
    ]
  }

  /// Runs `read`, which is `@concurrent`, on a thread of its own instead of the shared pool's.
  private static func onThread<Reply: Sendable>(
    _ read: @escaping @Sendable () async throws(Failure) -> Reply
  ) async throws(Failure) -> Reply {
    try await withTaskExecutorPreference(ThreadExecutor(name: "kith.reading")) { () async throws(Failure) in
      try await read()
    }
  }

  @concurrent
  private func probe(_ request: ProbeSourceRequest) async throws(Failure) -> ProbeSourceReply {
    switch request.source.kind {
    case .vdir(let vdir)?: try FolderSource(path: vdir.path, now: self.now).probe()
    case .vcf(let vcf)?: try FileSource(path: vcf.path, now: self.now).probe()
    case .carddav(let account)?: try await self.account(account, of: request.source).probe()
    case nil: throw SourceFault.kindMissing
    }
  }

  @concurrent
  private func find(_ request: FindBooksRequest) async throws(Failure) -> DiscoverReply {
    try await self.account(request.account, of: nil).discover()
  }

  @concurrent
  private func list(
    _ request: ListItemsRequest, _ yield: @escaping @Sendable (ItemBatch) async throws(Failure) -> Void
  ) async throws(Failure) -> ListItemsReply {
    switch request.source.kind {
    case .vdir(let vdir)?: try await FolderSource(path: vdir.path, now: self.now).list(yield: yield)
    case .vcf(let vcf)?: try await FileSource(path: vcf.path, now: self.now).list(token: request.token, yield: yield)
    case .carddav(let account)?:
      try await self.account(account, of: request.source).list(
        token: request.token, identity: request.source.identity, readsAll: request.readsAll, yield: yield)
    case nil: throw SourceFault.kindMissing
    }
  }

  @concurrent
  private func fetch(
    _ request: FetchItemsRequest, _ checkpoint: Checkpoint,
    _ yield: @escaping @Sendable (CardBatch) async throws(Failure) -> Void
  ) async throws(Failure) -> FetchItemsReply {
    switch request.source.kind {
    case .vdir(let vdir)?:
      try await FolderSource(path: vdir.path, now: self.now).fetch(
        request.hrefs, checkpoint: checkpoint, yield: yield)
    case .vcf(let vcf)?: try await FileSource(path: vcf.path, now: self.now).fetch(request.hrefs, yield: yield)
    case .carddav(let account)?:
      try await self.account(account, of: request.source).fetch(request.hrefs, token: request.token, yield: yield)
    case nil: throw SourceFault.kindMissing
    }
  }

  private func account(_ account: CardDAV, of source: SourceLocation?) throws(Failure) -> CardDAVSource {
    guard let accounts else { throw AccountFault.unserved }
    return CardDAVSource(name: source?.name, account: account, connections: accounts, now: self.now)
  }
}
