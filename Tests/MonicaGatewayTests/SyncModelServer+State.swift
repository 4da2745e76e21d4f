import Bus
import EventLoop
import Foundation
import KithMessages
import Secrets
import Storage
import SwiftProtobuf

@testable import MonicaGateway

extension ModelServer.State {
  /// Kinds that keep the client's UUID.
  static let withUUID: Set<RecordKind> = [.person, .call, .conversation]

  var stamp: Google_Protobuf_Timestamp { .init(seconds: self.clock) }

  mutating func insert(_ record: RemoteRecord) -> UInt64 {
    guard let kind = record.kind else { return 0 }
    self.lastID += 1
    let id = self.lastID
    var row = record.tidied
    row.monicaID = id
    row.updatedAt = self.stamp
    row.record = row.record?.made(at: self.stamp)
    if !Self.withUUID.contains(kind) { row.clientID = "" }
    self.numberMessages(&row)
    self.rows[kind, default: [:]][id] = row
    self.bump(row)
    if case .relationship(let relationship)? = row.record {
      // The other side is a separate record.
      self.lastID += 1
      var reverse = row
      reverse.monicaID = self.lastID
      reverse.owner = row.others.first ?? 0
      reverse.others = [row.owner]
      reverse.relationship.type = Self.reverse(of: relationship.type)
      reverse.relationship.reverseType = relationship.type
      self.rows[.relationship]?[id]?.relationship.reverseType = reverse.relationship.type
      self.rows[.relationship]?[self.lastID] = reverse
    }
    return id
  }

  /// Whether this side represents the relationship; the real service returns no other.
  static func isCanonical(_ row: RemoteRecord) -> Bool {
    row.kind != .relationship || row.owner <= row.others.first ?? .max
  }

  /// A relationship as seen from that side.
  static func aligned(_ record: RemoteRecord) -> RemoteRecord {
    guard !Self.isCanonical(record), let other = record.others.first else { return record }
    var turned = record
    (turned.owner, turned.others) = (other, [record.owner])
    turned.relationship.type = Self.reverse(of: record.relationship.type)
    return turned
  }

  static func reverse(of type: String) -> String { ["parent": "child", "child": "parent"][type] ?? type }

  mutating func edit(_ kind: RecordKind, _ id: UInt64, _ change: (inout RemoteRecord) -> Void) {
    guard var row = self.rows[kind]?[id] else { return }
    change(&row)
    row.updatedAt = self.stamp
    self.numberMessages(&row)
    self.rows[kind]?[id] = row.tidied
    self.bump(row)
  }

  mutating func remove(_ kind: RecordKind, _ id: UInt64) {
    guard let row = self.rows[kind]?.removeValue(forKey: id) else { return }
    self.bump(row)
    if kind == .relationship {
      let reverse = self.rows[.relationship]?.first {
        $0.value.owner == row.others.first && $0.value.others == [row.owner]
      }
      if let reverse { self.rows[.relationship]?[reverse.key] = nil }
    }
    guard kind == .person else { return }
    self.archived.remove(id)
    let all = self.rows
    for (kind, rows) in all {
      for (key, row) in rows {
        if kind == .activity, row.others.contains(id) {
          let rest = row.others.filter { $0 != id }
          self.rows[kind]?[key]?.others = rest
          self.rows[kind]?[key]?.owner = rest.first ?? 0
          if rest.isEmpty { self.rows[kind]?[key] = nil }
        } else if row.owner == id || row.others.contains(id) {
          self.rows[kind]?[key] = nil
        }
      }
    }
  }

  /// Changes of a person's details count as changes of the person.
  private mutating func bump(_ row: RemoteRecord) {
    guard [.contactField, .address, .relationship].contains(row.kind) else { return }
    let stamp = self.stamp
    for person in [row.owner] + row.others { self.rows[.person]?[person]?.updatedAt = stamp }
  }

  private mutating func numberMessages(_ row: inout RemoteRecord) {
    guard row.kind == .conversation else { return }
    for index in row.conversation.messages.indices where row.conversation.messages[index].monicaID == 0 {
      self.lastID += 1
      row.conversation.messages[index].monicaID = self.lastID
    }
  }

  /// A record as it is returned: people with their details.
  func shown(_ kind: RecordKind, _ id: UInt64) -> RemoteRecord? {
    guard var row = self.rows[kind]?[id] else { return nil }
    if kind == .call, self.bareCalls.contains(id) {
      row.call.durationMinutes = 0
      row.call.emotion = ""
      row.call.tags = []
      row.unsaid = ["duration_minutes", "emotion", "tags"]
    }
    guard kind == .person else { return row }
    row.person.displayName = [row.person.firstName, row.person.lastName].filter { !$0.isEmpty }.joined(separator: " ")
    row.person.isArchived = self.archived.contains(id)
    row.person.middleName = ""
    row.unsaid = ["middle_name"]
    row.hasChildren_p = true
    row.children = [RecordKind.contactField, .address, .relationship].flatMap { kind in
      (self.rows[kind] ?? [:]).values.filter { $0.owner == id && Self.isCanonical($0) }
        .sorted { $0.monicaID < $1.monicaID }
    }
    return row
  }

  func page(_ request: PullRequest) -> PullPage {
    var page = PullPage()
    guard let kind = RecordKind(named: request.kind) else { return page }
    var ids = (self.rows[kind] ?? [:]).values.filter { row in
      if kind == .person, self.archived.contains(row.monicaID) { return false }
      return request.owner == 0 || row.owner == request.owner || row.others.contains(request.owner)
    }
    if [.call, .note].contains(kind) {
      ids.sort { $0.monicaID > $1.monicaID }
    } else if request.newestFirst, kind != .tag {
      ids.sort { ($0.updatedAt.seconds, $0.monicaID) > ($1.updatedAt.seconds, $1.monicaID) }
    } else {
      ids.sort { $0.monicaID < $1.monicaID }
    }
    page.total = UInt32(ids.count)
    page.lastPage = UInt32(max(1, (ids.count + self.pageSize - 1) / self.pageSize))
    page.page = request.firstPage
    let first = (Int(request.firstPage) - 1) * self.pageSize
    page.records = ids.dropFirst(first).prefix(self.pageSize).compactMap { self.shown(kind, $0.monicaID) }
    return page
  }

  mutating func push(_ request: PushRequest) throws(Failure) -> PushReply {
    var reply = PushReply()
    let (want, base) = (Self.aligned(request.record), Self.aligned(request.base))
    guard let kind = want.kind else { throw .invalid(field: "record", "is missing") }
    reply.outcome = .done
    switch request.operation {
    case "create":
      if let again = self.returned(request, kind) {
        reply.outcome = .changed
        reply.record = again
        return reply
      }
      if request.lookFirst, let id = self.trace(of: want, kind, besides: request.takenIds)?.monicaID,
        let found = self.shown(kind, id)
      {
        // Its records are complete at once: if one differs, someone has changed it since.
        reply.outcome = self.isSame(found, want) ? .done : .changed
        reply.record = found
        return reply
      }
      for person in [want.owner] + want.others where person != 0 && self.rows[.person]?[person] == nil {
        throw Failure(.notFound, "GONE", "The server no longer has the person.", details: ["record": "person"])
      }
      try want.check()
      let id = self.insert(want)
      reply.record = self.shown(kind, id) ?? want
    case "update":
      guard let current = self.shown(kind, want.monicaID), !request.names(another: current) else {
        reply.outcome = .gone
        return reply
      }
      let isHidden = request.hasBase && self.differences(base, want).contains { current.unsaid.contains($0) }
      if isHidden || !self.isSame(current, want) {
        guard self.isSame(current, base) else {
          reply.outcome = .changed
          reply.record = current
          return reply
        }
        try want.check()
        self.bareCalls.remove(want.monicaID)
        self.edit(kind, want.monicaID) { $0 = want.over($0) }
        if kind == .relationship { self.retype(want) }
      }
      reply.record = self.shown(kind, want.monicaID) ?? want
    default:
      let lost =
        want.monicaID == 0 && request.lookFirst ? self.trace(of: want, kind, besides: request.takenIds)?.monicaID : nil
      guard let current = self.shown(kind, lost ?? want.monicaID), !request.names(another: current) else {
        reply.outcome = .gone
        return reply
      }
      guard !request.hasBase || self.isSame(current, base) else {
        reply.outcome = .changed
        reply.record = current
        return reply
      }
      self.remove(kind, current.monicaID)
    }
    return reply
  }

  /// The record that was lost and is there again, as the real service finds it.
  private func returned(_ request: PushRequest, _ kind: RecordKind) -> RemoteRecord? {
    guard request.leftID != 0, request.hasMadeAt || kind == .relationship,
      let found = self.shown(kind, request.leftID),
      !request.hasMadeAt || found.record?.record.createdAt.seconds == request.madeAt.seconds
    else { return nil }
    return Set([request.record.owner] + request.record.others).isSuperset(of: [found.owner] + found.others)
      ? found : nil
  }

  private mutating func retype(_ want: RemoteRecord) {
    let rows = self.rows[.relationship] ?? [:]
    for (key, row) in rows where row.owner == want.others.first && row.others == [want.owner] {
      self.rows[.relationship]?[key]?.relationship.type = Self.reverse(of: want.relationship.type)
      self.rows[.relationship]?[key]?.relationship.reverseType = want.relationship.type
    }
    self.rows[.relationship]?[want.monicaID]?.relationship.reverseType = Self.reverse(of: want.relationship.type)
  }

  private func trace(of want: RemoteRecord, _ kind: RecordKind, besides taken: [UInt64]) -> RemoteRecord? {
    (self.rows[kind] ?? [:]).values.sorted { $0.monicaID > $1.monicaID }.first { row in
      if taken.contains(row.monicaID) { return false }
      if Self.withUUID.contains(kind) { return row.clientID == want.clientID }
      // Like the real service: a task may have been completed since.
      return row.owner == want.owner && Set(row.others) == Set(want.others)
        && self.differences(row, want.tidied).allSatisfy { $0 == "is_completed" }
    }
  }

  private func differences(_ one: RemoteRecord, _ other: RemoteRecord) -> [String] {
    guard let left = one.record, let right = other.record else { return [] }
    return RecordMerge(base: right, local: right, server: left, unsaid: []).fields.map(\.name)
  }

  /// Whether two states of a record have the same values.
  func isSame(_ one: RemoteRecord, _ other: RemoteRecord) -> Bool {
    guard let left = one.record, let right = other.record else { return false }
    return RecordMerge(base: right, local: right, server: left, unsaid: one.unsaid + ["attachments"]).fields.isEmpty
      && Set(one.others) == Set(other.others)
  }
}

extension AnyRecord {
  /// The record with the time at which the server made it.
  func made(at time: Google_Protobuf_Timestamp) -> AnyRecord {
    func changed<R: SyncedRecord>(_ record: R) -> AnyRecord {
      var record = record
      record.createdAt = time
      return record.any
    }
    return changed(self.record)
  }
}

extension PushRequest {
  /// Whether a record that has the id was made at another time than the one that the request means.
  fileprivate func names(another current: RemoteRecord) -> Bool {
    guard self.hasMadeAt, let record = current.record?.record, record.hasCreatedAt else { return false }
    return record.createdAt.seconds != self.madeAt.seconds
  }
}
