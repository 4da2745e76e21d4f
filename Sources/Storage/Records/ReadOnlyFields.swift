internal import Bus
internal import KithMessages
internal import SwiftProtobuf

/// Fields that clients do not change: those that only the server sets, and those that are stored only on the hub.
extension RemoteRecord.OneOf_Record {
  /// Whether an update from `base` would send nothing.
  func isSame(as base: AnyRecord) -> Bool { self.sent == base.sent }

  /// The fields that are sent to the server.
  private var sent: AnyRecord {
    let sent = self.without { $0 != .both }
    guard case .conversation(var conversation) = sent else { return sent }
    for index in conversation.messages.indices { conversation.messages[index].id = "" }
    return conversation.any
  }

  /// The record with the fields of some places cleared.
  func without(_ isWithout: (FieldRules.Place) -> Bool) -> AnyRecord {
    func clear<R: SyncedRecord>(_ record: R) -> AnyRecord {
      let empty = R()
      var record = record
      for field in R.fields where isWithout(field.rules.place) { field.copy(empty, &record) }
      return record.any
    }
    return clear(self.record)
  }

  /// The record with the fields that are stored only on the hub copied from another record.
  func takingHubFields(of other: AnyRecord) -> AnyRecord {
    func take<R: SyncedRecord>(_ record: R) -> AnyRecord {
      guard let known = R(other) else { return self }
      var record = record
      for field in R.fields where field.rules.place == .hub { field.copy(known, &record) }
      return record.any
    }
    return take(self.record)
  }

  /// The record with the fields that only the server sets copied from its previous version, unless a field that they follow changed.
  ///
  /// - Parameters:
  ///   - old: The previous version; nil if the record is new.
  ///   - now: The time at which a task is completed, in nanoseconds since 1970; nil if unknown.
  func takingReadings(of old: AnyRecord?, now: Int64?) -> AnyRecord {
    func take<R: SyncedRecord>(_ record: R) -> AnyRecord {
      let (known, empty) = (old.flatMap { R($0) }, R())
      var record = record
      for field in R.fields where field.rules.place == .server {
        let isHeld = known.map { record.agrees(with: $0, in: field.rules.follows) } ?? false
        field.copy(isHeld ? known ?? empty : empty, &record)
      }
      return record.any
    }
    let read = take(self.record)
    guard case .task(var task) = read else { return read }
    let wasCompleted = if case .task(let known)? = old { known.isCompleted } else { false }
    if !task.isCompleted {
      task.clearCompletedAt()
    } else if let now, !wasCompleted {
      task.completedAt = .init(nanosecondsSince1970: now)
    }
    return task.any
  }
}

extension SyncedRecord {
  /// Whether two records have the same values in the fields of these names.
  fileprivate func agrees(with other: Self, in names: [String]) -> Bool {
    Self.fields.allSatisfy { !names.contains($0.name) || $0.isEqual(self, other) }
  }
}
