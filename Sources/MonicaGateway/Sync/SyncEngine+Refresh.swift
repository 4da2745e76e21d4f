public import Bus
internal import EventLoop
internal import KithMessages
internal import Logging
internal import Storage
internal import SwiftProtobuf

extension SyncEngine {
  /// The lists of one person.
  private static let lists = PullPlan.order.filter { $0.rules.owner != .nobody }
  /// How long a refresh may take, in nanoseconds. By default the server allows a minute's worth of requests at once.
  static let refreshLimit: Int64 = 30_000_000_000
  /// Up to this many missing records are requested by id.
  private static let mostAsked = 10
  /// The interval between requests for a person's picture, in nanoseconds: nothing shows that it has changed.
  private static let pictureInterval: Int64 = 24 * 3600 * 1_000_000_000

  /// What the server has about one person.
  private struct Reading: Sendable {
    var records: [RemoteRecord] = []
    /// The records that the server no longer has.
    var gone: [(kind: RecordKind, id: UInt64)] = []
  }

  /// Reads a person and that person's records from the server, and stores them. A caller waits for it, so it takes
  /// precedence over a pass.
  ///
  /// - Parameter id: Our id of the person.
  /// - Returns: True if the server was asked; it is not asked about a person that it does not have yet.
  /// - Throws: `FAILED_PRECONDITION/NOT_LOGGED_IN`, `UNAUTHENTICATED/SESSION_EXPIRED`, `NOT_FOUND/RECORD_UNKNOWN`,
  ///   `DEADLINE_EXCEEDED/REFRESH_TIMEOUT` after ``refreshLimit``, the failure of the server.
  @discardableResult
  public func refresh(person id: String) async throws(Failure) -> Bool {
    guard self.account != nil else { throw try await self.accountFailure() }
    if let order = self.push.gate.order(now: self.uptime()) { throw order }
    do throws(Failure) {
      return try await self.withinLimit { () async throws(Failure) in
        try await self.server.withLock { () async throws(Failure) in try await self.readWhole(person: id) }
      }
    } catch {
      guard RemoteFault(error) == .session else { throw error }
      try await self.expire()
      throw .sessionExpired
    }
  }

  /// When ``refresh(person:)`` last read a person, in nanoseconds since 1970; nil if it has not done so since the
  /// start.
  func lastRefresh(of id: String) -> Int64? { self.refreshedAt[id] }

  /// Runs work that a caller waits for, with a time limit.
  private func withinLimit<Value: Sendable>(
    _ work: @escaping @Sendable () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let isLate = Lock(false)
    let task = Task { () async -> Result<Value, Failure> in
      do throws(Failure) { return .success(try await work()) } catch { return .failure(error) }
    }
    let timer = Task {
      guard (try? await Task.sleep(for: .nanoseconds(Self.refreshLimit))) != nil else { return }
      isLate.withLock { $0 = true }
      task.cancel()
    }
    let result = await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
    timer.cancel()
    if case .failure(let error) = result, error.code == .cancelled, isLate.withLock({ $0 }) { throw Self.late }
    return try result.get()
  }

  private static let late = Failure(
    .deadlineExceeded, "REFRESH_TIMEOUT",
    "Monica did not answer within 30 seconds. Try again, or let `kith monica sync` fetch it.")

  private func readWhole(person id: String) async throws(Failure) -> Bool {
    let (person, known) = try await self.storage.read {
      view throws(Failure) -> (Person, [RecordKind: Set<UInt64>]) in
      var known: [RecordKind: Set<UInt64>] = [:]
      for kind in Self.lists { known[kind] = try view.records.serverIDs(kind, ofPerson: id) }
      return (try view.records.require(Person.self, id), known)
    }
    guard person.monicaID != 0 else { return false }
    let now = self.now()
    guard let found = try await self.read(.person, person.monicaID, isUrgent: true) else {
      try await self.storage.write { transaction throws(Failure) in
        if let missing = try transaction.records.missing(.person, person.monicaID) {
          try transaction.records.settle(missing: [missing], now: now)
        }
      }
      self.refreshedAt[id] = now
      return true
    }
    let lists = await withTaskGroup(of: Result<Reading, Failure>.self) { group in
      for kind in Self.lists {
        group.addTask {
          do throws(Failure) {
            return .success(try await self.readList(kind, of: found.monicaID, known: known[kind] ?? []))
          } catch {
            return .failure(error)
          }
        }
      }
      var lists: [Result<Reading, Failure>] = []
      for await list in group { lists.append(list) }
      return lists
    }
    var reading = Reading(records: [found])
    for list in lists {
      let list = try list.get()
      reading.records += list.records
      reading.gone += list.gone
    }
    try await self.readPeople(namedBy: reading.records, isUrgent: true) { records throws(Failure) in
      try await self.storage.write { transaction throws(Failure) in
        _ = try transaction.merge(records, now: now)
      }
    }
    let outcome = try await self.storage.write { [reading] transaction throws(Failure) in
      var missing: [MissingRecord] = []
      for (kind, id) in reading.gone {
        if let record = try transaction.records.missing(kind, id) { missing.append(record) }
      }
      let outcome = try transaction.merge(reading.records, now: now)
      try transaction.records.settle(missing: missing + outcome.missing, now: now)
      return outcome
    }
    // A pass may have missed something that is there again.
    self.plan?.stored(outcome)
    self.suspended?.stored(outcome)
    self.refreshedAt[id] = now
    await self.readPicture(of: id, found.monicaID)
    return true
  }

  /// Reads every page of a list of one person. Known records that are missing in it are requested by id, unless they
  /// are many.
  private func readList(
    _ kind: RecordKind, of owner: UInt64, known: Set<UInt64>
  ) async throws(Failure) -> Reading {
    var reading = Reading()
    var number: UInt32 = 1
    var page = PullPage()
    repeat {
      page = try await self.page(of: kind, number, newestFirst: true, owner: owner, isUrgent: true)
      reading.records += page.records
      number += 1
    } while number <= page.lastPage && !page.records.isEmpty
    let seen = Set(reading.records.map(\.monicaID))
    let missing = known.subtracting(seen)
    guard seen.count == Int(page.total), missing.count <= Self.mostAsked else { return reading }
    for id in missing.sorted() {
      if let moved = try await self.read(kind, id, isUrgent: true) {
        reading.records.append(moved)
      } else {
        reading.gone.append((kind, id))
      }
    }
    return reading
  }

  /// Reads the picture of a person. If that fails, the stored picture stays.
  private func readPicture(of id: String, _ monicaID: UInt64) async {
    let now = self.uptime()
    guard let account = self.account, now - (self.picturesAskedAt[id] ?? .min / 2) >= Self.pictureInterval else {
      return
    }
    var request = ReadPhotoRequest()
    request.account = account
    request.person = monicaID
    do throws(Failure) {
      let reply = try await self.remote.ask(request, CallContext())
      self.picturesAskedAt[id] = now
      guard reply.found else { return }
      try await self.storage.write { transaction throws(Failure) in
        try transaction.records.setPhoto(Array(reply.data), mediaType: reply.mediaType, ofPerson: id)
      }
    } catch {
      self.logger.info("picture not read", metadata: ["reason": "\(error.reason)"])
    }
  }
}
