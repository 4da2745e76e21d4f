internal import Bus
internal import KithMessages
internal import SwiftProtobuf

/// Fields that nobody edits: those that the server alone sets, and those that stay on the hub.
extension RemoteRecord.OneOf_Record {
  /// Whether the server has to be told nothing to have this where it has `base`.
  func isSame(as base: AnyRecord) -> Bool { self.told == base.told }

  /// What the server is told.
  private var told: AnyRecord {
    switch self.takingReadings(of: nil, now: nil).stripped {
    case .person(var person):
      person.clearPhoto()
      return person.any
    case .call(var call):
      call.attachments = []
      call.isRunning = false
      return call.any
    case .conversation(var conversation):
      for index in conversation.messages.indices { conversation.messages[index].id = "" }
      return conversation.any
    case let other: return other
    }
  }

  /// The record with what stays on the hub taken from another one.
  func takingHubFields(of other: AnyRecord) -> AnyRecord {
    switch (self, other) {
    case (.call(var call), .call(let known)):
      call.attachments = known.attachments
      call.isRunning = known.isRunning
      return call.any
    case (.person(var person), .person(let known)) where known.hasPhoto:
      person.photo = known.photo
      return person.any
    default: return self
    }
  }

  /// The record with what is "read, not written" as it was, where that still holds.
  ///
  /// - Parameters:
  ///   - old: As it was; nil = it is new.
  ///   - now: When a task is done that was not, in nanoseconds since 1970; nil = not known.
  func takingReadings(of old: AnyRecord?, now: Int64?) -> AnyRecord {
    switch self {
    case .person(let person): person.takingReadings(of: old.flatMap { Person($0) }).any
    case .task(let task): task.takingReadings(of: old.flatMap { TaskItem($0) }, now: now).any
    case .relationship(let relationship):
      relationship.takingReadings(of: old.flatMap { Relationship($0) }).any
    case .reminder(let reminder): reminder.takingReadings(of: old.flatMap { PersonReminder($0) }).any
    case .contactField, .address, .note, .activity, .gift, .tag, .call, .conversation: self
    }
  }
}

extension Person {
  fileprivate func takingReadings(of old: Person?) -> Person {
    var person = self
    let names = [self.firstName, self.middleName, self.lastName, self.nickname]
    let isNamedSo = old.map { [$0.firstName, $0.middleName, $0.lastName, $0.nickname] == names } ?? false
    person.displayName = isNamedSo ? old?.displayName ?? "" : ""
    person.isStarred = old?.isStarred ?? false
    person.isArchived = old?.isArchived ?? false
    person.isMe = old?.isMe ?? false
    person.stayInTouchDays = old?.stayInTouchDays ?? 0
    return person
  }
}

extension TaskItem {
  fileprivate func takingReadings(of old: TaskItem?, now: Int64?) -> TaskItem {
    var task = self
    task.clearCompletedAt()
    guard self.isCompleted else { return task }
    if let old, old.isCompleted {
      if old.hasCompletedAt { task.completedAt = old.completedAt }
    } else if let now {
      task.completedAt = .init(nanosecondsSince1970: now)
    }
    return task
  }
}

extension Relationship {
  fileprivate func takingReadings(of old: Relationship?) -> Relationship {
    var relationship = self
    relationship.reverseType = old?.type == self.type ? old?.reverseType ?? "" : ""
    return relationship
  }
}

extension PersonReminder {
  fileprivate func takingReadings(of old: PersonReminder?) -> PersonReminder {
    var reminder = self
    let dates = [self.initialDate, self.frequency, "\(self.every)"]
    let isDueSo = old.map { [$0.initialDate, $0.frequency, "\($0.every)"] == dates } ?? false
    reminder.nextOn = isDueSo ? old?.nextOn ?? "" : ""
    reminder.isAutomatic = old?.isAutomatic ?? false
    return reminder
  }
}
