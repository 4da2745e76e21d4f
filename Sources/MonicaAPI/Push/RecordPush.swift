internal import KithMessages
internal import SwiftProtobuf

/// Sends one change of a record to the server.
///
/// The record is first read and compared with the base of the change, because the server has no preconditions. A change
/// that someone makes between the two is lost; that is a moment, compared with the whole time offline.
struct RecordPush<R: WritableResource>: Sendable {
  private var request: PushRequest
  let session: PushSession

  init(request: PushRequest, session: PushSession) {
    self.request = request
    self.session = session
  }

  /// Tolerance for the difference of the clocks, in seconds.
  private static var slack: Int64 { 30 }
  /// The number of pages in which an earlier attempt is searched for.
  private static var searchPages: Int { 20 }

  /// Carries the change out.
  ///
  /// - Throws: An error with `mayHaveArrived` also if a step before the failed one was carried out.
  func run() async throws(MonicaError) -> PushReply {
    do throws(MonicaError) {
      var push = self
      if self.request.knownOperation != .delete {
        push.request.record = try await NameCreator(session: self.session).named(
          self.request.record, base: self.request.base)
      }
      return try await push.carryOut()
    } catch {
      throw MonicaError(error.fault, mayHaveArrived: error.mayHaveArrived || self.session.hasWritten)
    }
  }

  private func carryOut() async throws(MonicaError) -> PushReply {
    switch self.request.knownOperation {
    case .create: return try await self.create()
    case .update: return try await self.update()
    case .delete: return try await self.delete()
    default: throw MonicaError(.invalid(field: "operation", "must be create, update or delete."))
    }
  }

  // MARK: - Creating

  private func create() async throws(MonicaError) -> PushReply {
    do throws(MonicaError) {
      if let again = try await self.returned() { return Self.changed(again) }
      if self.request.lookFirst, let found = try await self.search() { return try await self.settle(found) }
      let want = try await R.aligned(self.request.record, with: nil, self.session)
      return Self.done(try await R.make(want, self.session), want)
    } catch {
      throw try await self.explained(error)
    }
  }

  /// The record that the server had lost, if the server has it again under its old id: it is restored from a newer backup. nil for one of
  /// other people, or that was made at another time, which is another record. Of a relationship the server may never have told the time, and
  /// it never changes the people.
  private func returned() async throws(MonicaError) -> RemoteRecord? {
    guard self.request.leftID != 0, self.request.hasMadeAt || self.request.record.record?.kind == .relationship,
      let found = try await self.session.client.find(R.self, R.target(self.request.leftID)), let have = found.record,
      !self.request.hasMadeAt || found.head.createdAt?.seconds == self.request.madeAt.seconds
    else { return nil }
    let people = Set([self.request.record.owner] + self.request.record.others)
    return people.isSuperset(of: [have.owner] + have.others) ? have : nil
  }

  /// Searches for the result of an earlier attempt.
  private func search() async throws(MonicaError) -> R? {
    let want = try await R.aligned(self.request.record, with: nil, self.session)
    guard let (route, order) = R.search(for: want) else {
      return try await R.unlisted(want, since: await self.since, self.session)
    }
    var reader = ListReader(self.session.client, route, order)
    for number in 1...Self.searchPages {
      let page = try await reader.page(number, of: R.self)
      let since = await self.since
      let traces = page.values.filter {
        !self.request.takenIds.contains($0.head.id) && $0.isTrace(of: want, since: since)
      }
      if let newest = traces.max(by: { $0.head.id < $1.head.id }) { return try await newest.canonical(self.session) }
      if number >= page.lastPage || page.values.contains(where: { $0.isPast(want, since: since) }) { return nil }
    }
    return nil
  }

  /// No earlier attempt was made before this time, in seconds since 1970 by the server's clock as far as it is known.
  private var since: Int64 {
    get async {
      guard self.request.hasFirstTriedAt else { return .min }
      return self.request.firstTriedAt.seconds + (await self.session.client.gate.clockDifference) - Self.slack
    }
  }

  /// Completes the record that was found, unless someone has changed it since.
  private func settle(_ found: R) async throws(MonicaError) -> PushReply {
    let want = try await R.aligned(self.request.record, with: found, self.session)
    if let have = found.record {
      let (facts, wanted) = (R.facts(have), R.facts(want))
      if facts.isDone(wanted, base: nil, except: have.unsaid) { return Self.done(found, want) }
      guard facts.isPart(of: wanted, except: have.unsaid) else { return Self.changed(have) }
    }
    return Self.done(try await found.replaced(with: want, base: nil, self.session), want)
  }

  // MARK: - Changing

  private func update() async throws(MonicaError) -> PushReply {
    guard let current = try await self.current(), let have = current.record else { return Self.gone }
    let want = try await R.aligned(self.request.record, with: current, self.session)
    let base = try await self.base(with: current)
    let facts = R.facts(have)
    if facts.isDone(R.facts(want), base: base.map(R.facts), except: have.unsaid) { return Self.done(current, want) }
    if let base, !facts.isUntouched(since: R.facts(base), onTheWayTo: R.facts(want), except: have.unsaid) {
      return Self.changed(have)
    }
    do throws(MonicaError) {
      return Self.done(try await current.replaced(with: want, base: base, self.session), want)
    } catch {
      guard try await !self.isGone(after: error) else { return Self.gone }
      // A part of the record, such as a message, was deleted meanwhile.
      if error.fault == .missing, let have = try await self.current()?.record { return Self.changed(have) }
      throw try await self.explained(error)
    }
  }

  private func delete() async throws(MonicaError) -> PushReply {
    guard let current = try await self.current(), let have = current.record else { return Self.gone }
    if let base = try await self.base(with: current), !R.facts(have).agree(with: R.facts(base), except: have.unsaid) {
      return Self.changed(have)
    }
    do throws(MonicaError) {
      try await self.session.delete("\(R.path)/\(current.head.id)")
    } catch {
      guard try await self.isGone(after: error) else { throw try await self.explained(error) }
    }
    var reply = PushReply()
    reply.outcome = .done
    return reply
  }

  /// The server's record; nil if it or its owner was deleted.
  private func current() async throws(MonicaError) -> R? {
    guard self.request.record.monicaID != 0 else {
      // Deleted before it was known whether it had been created.
      do throws(MonicaError) {
        return self.request.lookFirst ? try await self.search() : nil
      } catch {
        guard error.fault == .missing else { throw error }
        return nil
      }
    }
    let found = try await self.session.client.find(R.self, R.target(self.request.record.monicaID))
    if R.belongsToPerson, found?.record?.owner == 0 { return nil }
    if self.request.hasMadeAt, let made = found?.head.createdAt, made.seconds != self.request.madeAt.seconds {
      return nil
    }
    return found
  }

  private func base(with current: R) async throws(MonicaError) -> RemoteRecord? {
    guard self.request.hasBase, self.request.base.record != nil else { return nil }
    return try await R.aligned(self.request.base, with: current, self.session)
  }

  // MARK: - Refusals

  /// Whether a change was refused because the record was deleted: several statuses are possible, so the record is read.
  private func isGone(after error: MonicaError) async throws(MonicaError) -> Bool {
    guard error.isRefusal else { return false }
    return try await self.session.client.find(R.self, R.target(self.request.record.monicaID)) == nil
  }

  /// Finds the reason of a refusal in the people concerned, if status and text do not show it.
  private func explained(_ error: MonicaError) async throws(MonicaError) -> MonicaError {
    guard error.isRefusal else { return error }
    // A name may have another id now.
    self.session.catalog.memory.forget()
    let record = self.request.record
    let people = R.self is PersonResource.Type ? [record.monicaID] : [record.owner] + record.others
    for id in Set(people) where id != 0 {
      guard let person = try await self.session.client.find(PersonResource.self, PersonResource.target(id)) else {
        return MonicaError(.ownerMissing)
      }
      if !person.isActive { return MonicaError(.archived) }
    }
    return error
  }

  // MARK: - Replies

  private static var gone: PushReply {
    var reply = PushReply()
    reply.outcome = .gone
    return reply
  }

  private static func changed(_ record: RemoteRecord) -> PushReply {
    var reply = PushReply()
    reply.outcome = .changed
    reply.record = record
    return reply
  }

  private static func done(_ resource: R, _ want: RemoteRecord) -> PushReply {
    var reply = PushReply()
    reply.outcome = .done
    reply.record = resource.record ?? resource.head.remote
    R.complete(&reply.record, with: want)
    return reply
  }
}

extension MonicaError {
  /// Whether the server understood a change and refused it.
  fileprivate var isRefusal: Bool {
    switch self.fault {
    case .refused, .missing, .notMonica(.unknownPath): true
    default: false
    }
  }
}
