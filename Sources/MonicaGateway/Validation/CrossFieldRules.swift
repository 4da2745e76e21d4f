internal import Bus
internal import Fields
internal import KithMessages
internal import Storage
internal import SwiftProtobuf

/// The rules of records that `proto/` cannot state: rules over several fields, dependent fields, and checks against the store.

extension Person: EditableRecord {
  static var rules: [FieldRule<Person>] {
    [
      FieldRule("birthday_reminder", also: ["birthday"]) { person, _ in
        person.birthdayReminder && (person.birthday.isEmpty || person.birthday.hasPrefix("~"))
          ? "needs a birthday with its month and day." : nil
      },
      FieldRule("deceased_on", also: ["is_dead"]) { person, _ in
        !person.deceasedOn.isEmpty && !person.isDead ? "is only for a person who has died. Set is_dead too." : nil
      },
    ]
  }

  /// Makes the tags that do not exist yet; the others keep their spelling.
  mutating func settle(_ previous: Person?, in transaction: Transaction, now: Int64) throws(Failure) {
    try self.resolveNames(previous, in: transaction)
    var tags: [String] = []
    for name in self.tags {
      let known = try transaction.records.tag(named: name)
      if known == nil { try Self.make(name, in: transaction, now: now) }
      let spelling = known?.name ?? name
      if !tags.contains(spelling) { tags.append(spelling) }
    }
    self.tags = tags
  }

  private static func make(_ name: String, in transaction: Transaction, now: Int64) throws(Failure) {
    var tag = Tag()
    tag.name = name
    _ = try transaction.records.create(tag, now: now)
  }
}

extension ContactField: EditableRecord {
  static var rules: [FieldRule<ContactField>] {
    [
      FieldRule("data", also: ["type"]) { field, _ in
        let isAddress =
          field.data.split(separator: "@", omittingEmptySubsequences: false).allSatisfy { !$0.isEmpty }
          && field.data.contains("@") && !field.data.contains(where: \.isWhitespace)
        return field.type == "email" && !isAddress ? "must be an e-mail address such as ann@example.org." : nil
      }
    ]
  }

  static var plainNames: [String] { ["email", "phone"] }
}

extension PersonAddress: EditableRecord {
  static var rules: [FieldRule<PersonAddress>] {
    [
      FieldRule("street", also: ["city", "province", "postal_code", "country", "latitude", "longitude"]) { address, _ in
        let parts = [
          address.street, address.city, address.province, address.postalCode, address.country, address.latitude,
          address.longitude,
        ]
        return parts.allSatisfy(\.isEmpty) ? "give at least a street, a city, a country or a place on the map." : nil
      }
    ]
  }
}

extension Tag: EditableRecord {
  /// Refuses the name of another tag, and renames the tag for everybody who has it.
  mutating func settle(_ previous: Tag?, in transaction: Transaction, now: Int64) throws(Failure) {
    if let other = try transaction.records.tag(named: self.name), other.id != self.id {
      throw Failure(
        .alreadyExists, "RECORD_EXISTS", "There is a tag '\(other.name)' already.", details: ["record": other.id])
    }
    if let previous { try transaction.records.retag(previous.name, as: self.name, now: now) }
  }
}

extension Relationship: EditableRecord {
  static var rules: [FieldRule<Relationship>] {
    [
      FieldRule("other_id") { relationship, _ in
        relationship.otherID == relationship.personID
          ? "a person cannot be related to themselves. Name another person." : nil
      }
    ]
  }

  func isAbout(_ person: String) -> Bool { person == self.personID || person == self.otherID }

  mutating func begin(as given: Relationship) {
    self.personID = given.personID
    self.otherID = given.otherID
  }

  /// Refuses a second relationship of one type between two people, described from either side.
  mutating func settle(_ previous: Relationship?, in transaction: Transaction, now: Int64) throws(Failure) {
    try self.resolveNames(previous, in: transaction)
    guard !self.personID.isEmpty else { return }
    let (id, other, type) = (self.id, self.otherID, self.type)
    let twin = try transaction.records.all(Relationship.self, ofPerson: self.personID)
      .first { $0.id != id && $0.otherID == other && $0.type == type }
    if let twin {
      throw Failure(
        .alreadyExists, "RECORD_EXISTS", "\(twin.otherName) is recorded as \(type) already.",
        details: ["record": twin.id])
    }
  }
}

extension PersonReminder: EditableRecord {
  mutating func derive(from previous: PersonReminder?, now: Int64) {
    // A reminder that happens once has no interval, but the server requires a number.
    if self.knownFrequency == .oneTime { self.every = 1 }
  }
}

extension Note: EditableRecord {}

extension TaskItem: EditableRecord {}

extension Activity: EditableRecord {
  static var rules: [FieldRule<Activity>] {
    [
      FieldRule("participants") { activity, _ in
        activity.participants.isEmpty ? "name at least one person who took part." : nil
      }
    ]
  }

  func isAbout(_ person: String) -> Bool { self.participants.contains(person) }

  mutating func begin(as given: Activity) {
    if self.participants.isEmpty, !given.personID.isEmpty { self.participants = [given.personID] }
  }

  mutating func derive(from previous: Activity?, now: Int64) { self.personID = self.participants.first ?? "" }
}

extension Gift: EditableRecord {}

extension Call: EditableRecord {
  /// The longest call that a client may enter is a day; a timer may have run longer.
  static var longestMinutes: UInt32 { UInt32(Self.field("duration_minutes")?.rules.max ?? 0) }
}

extension Conversation: EditableRecord {
  static var rules: [FieldRule<Conversation>] {
    [
      FieldRule("messages") { conversation, now in
        conversation.isFull ?? conversation.messages.lazy.compactMap { $0.fault(now: now) }.first
          ?? conversation.repeatedMessage
      }
    ]
  }

  static var plainNames: [String] { ["in person", "email", "text", "phone"] }

  /// Sets ids and times of messages. A client cannot set the server's id of a message.
  mutating func derive(from previous: Conversation?, now: Int64) {
    let known = Dictionary((previous?.messages ?? []).map { ($0.id, $0.monicaID) }, uniquingKeysWith: { $1 })
    for index in self.messages.indices {
      let monicaID = known[self.messages[index].id]
      self.messages[index].monicaID = monicaID ?? 0
      if monicaID == nil { self.messages[index].id = UUIDv7.make().text }
      self.messages[index].content.trim()
      if !self.messages[index].hasWrittenAt { self.messages[index].writtenAt = self.happenedAt }
    }
  }
}

extension Conversation {
  /// The fault of two messages with the id of one stored message: the server would keep only one of the two.
  var repeatedMessage: String? {
    let ids = Dictionary(grouping: self.messages, by: \.id)
    return ids.first { $0.value.count > 1 }.map { "has two messages with the id '\($0.key)'. A new message has none." }
  }

  /// The fault of the total size of the messages; nil if they fit into one message of the wire.
  var isFull: String? {
    // Each text has an id, a time and the names of fields beside it, which take 180 bytes at most.
    let bytes = self.messages.reduce(0) { $0 + $1.content.utf8.count + 180 }
    return bytes > TextLimit.messageBytes
      ? "the messages have \(bytes) bytes; at most \(TextLimit.messageBytes) are kept. "
        + "Record another conversation."
      : nil
  }
}

extension ConversationMessage {
  /// The fault of the message; nil if there is none.
  func fault(now: Int64) -> String? {
    for field in Self.fields where field.isGiven {
      if let why = field.fault(self, now: now) { return "has a message whose \(field.name) \(why)" }
    }
    return nil
  }
}
