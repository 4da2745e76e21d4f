internal import Bus
internal import KithMessages
internal import Storage
internal import SwiftProtobuf

extension Note: EditableRecord {
  static var rules: [FieldRule<Note>] { [.text("body", \.body, limit: .note, isRequired: true)] }
}

extension TaskItem: EditableRecord {
  static var rules: [FieldRule<TaskItem>] {
    [.line("title", \.title, isRequired: true), .text("description", \.description_p, limit: .description)]
  }

  mutating func derive(from previous: TaskItem?, now: Int64) {
    guard self.isCompleted != previous?.isCompleted ?? false else { return }
    if self.isCompleted { self.completedAt = .init(nanosecondsSince1970: now) } else { self.clearCompletedAt() }
  }
}

extension Activity: EditableRecord {
  static var rules: [FieldRule<Activity>] {
    [
      .line("summary", \.summary, isRequired: true), .text("description", \.description_p, limit: .description),
      .day("happened_on", \.happenedOn, isRequired: true, isPast: true), .line("type", \.type),
      .names("participants", \.participants, count: 100),
      .rule("participants") { activity, _ in
        activity.participants.isEmpty ? "name at least one person who took part." : nil
      },
    ]
  }

  static var catalogNames: [CatalogName<Activity>] { [CatalogName("type", \.type, in: "activity_type")] }

  func isAbout(_ person: String) -> Bool { self.participants.contains(person) }

  mutating func begin(as given: Activity) {
    if self.participants.isEmpty, !given.personID.isEmpty { self.participants = [given.personID] }
  }

  mutating func derive(from previous: Activity?, now: Int64) { self.personID = self.participants.first ?? "" }
}

extension Gift: EditableRecord {
  static var rules: [FieldRule<Gift>] {
    [
      .line("name", \.name, isRequired: true),
      .choice("status", \.status, ["idea", "offered", "received"], isRequired: true),
      .text("comment", \.comment, limit: .description), .line("url", \.url, limit: .url),
      .formed("amount", \.amount, "must be an amount such as 12 or 12.50, without a currency.") { Self.amount($0) },
      .day("date", \.date),
    ]
  }

  /// With two decimals, as the server gives it back; nil for a text that is no amount.
  private static func amount(_ text: String) -> String? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let areDigits = parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
    guard (1...2).contains(parts.count), areDigits, parts[0].utf8.count <= 12 else { return nil }
    let whole = parts[0].drop { $0 == "0" }
    let decimals = parts.count == 2 ? parts[1] : ""
    guard decimals.utf8.count <= 2 else { return nil }
    return "\(whole.isEmpty ? "0" : whole).\(decimals)\(String(repeating: "0", count: 2 - decimals.utf8.count))"
  }
}

extension Call: EditableRecord {
  /// How people felt.
  static let emotions = ["happy", "neutral", "sad", "frustrated", "excited"]

  static var rules: [FieldRule<Call>] {
    [
      .moment("called_at") { $0.hasCalledAt ? $0.calledAt : nil }, Self.duration("duration_minutes", \.durationMinutes),
      .choice("emotion", \.emotion, Self.emotions), .text("note", \.note, limit: .memo),
      .names("tags", \.tags, count: 20, limit: .word) { Self.isWord($0) ? nil : Self.wordWanted },
      .rule("attachments") { call, _ in
        call.attachments.count > 10 ? "a call has at most 10 attachments." : nil
      },
    ]
  }

  /// A day is the longest call that anybody enters; a timer may have run longer.
  static let longestMinutes: UInt32 = 1440

  /// A duration that somebody enters.
  static func duration<Record>(
    _ field: String, _ path: any WritableKeyPath<Record, UInt32> & Sendable
  ) -> FieldRule<Record> {
    .number(field, path, in: 0...Self.longestMinutes)
  }

  /// A tag stands in a text, among other words.
  static func isWord(_ tag: String) -> Bool {
    tag.unicodeScalars.allSatisfy { scalar in
      scalar == "-" || scalar == "_" || scalar.properties.isAlphabetic || scalar.properties.numericType != nil
        || scalar.properties.generalCategory == .nonspacingMark || scalar.properties.generalCategory == .spacingMark
    }
  }

  static let wordWanted = "must be one word of letters, digits, '-' and '_'."
}

extension Conversation: EditableRecord {
  static var rules: [FieldRule<Conversation>] {
    [
      .line("channel", \.channel, isRequired: true), .moment("happened_at") { $0.hasHappenedAt ? $0.happenedAt : nil },
      .rule("messages") { conversation, now in
        conversation.isFull ?? conversation.messages.lazy.compactMap { $0.fault(now: now) }.first
          ?? conversation.repeatedMessage
      },
    ]
  }

  static var catalogNames: [CatalogName<Conversation>] {
    [CatalogName("channel", \.channel, in: "contact_field_type", plain: ["in person", "email", "text", "phone"])]
  }

  /// Ids and times of messages. What the server calls a message is no client's to say.
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
  /// What is wrong where two messages have one id, which is that of a message that there was: the server would keep one of the two.
  var repeatedMessage: String? {
    let ids = Dictionary(grouping: self.messages, by: \.id)
    return ids.first { $0.value.count > 1 }.map { "has two messages with the id '\($0.key)'. A new message has none." }
  }

  /// What is wrong with the number or the size of the messages; nil when they fit one message of the wire.
  var isFull: String? {
    // Ids, times and names of fields take so much beside each text.
    let bytes = self.messages.reduce(0) { $0 + $1.content.utf8.count + 180 }
    return bytes > TextLimit.messageBytes
      ? "the messages have \(bytes) bytes; at most \(TextLimit.messageBytes) are kept. "
        + "Record another conversation."
      : nil
  }
}

extension ConversationMessage {
  /// What is wrong with the message; nil when nothing is.
  func fault(now: Int64) -> String? {
    if self.content.isEmpty { return "the content of a message must not be empty." }
    if let fault = TextLimit.message.fault(of: self.content) { return "a message \(fault)" }
    guard !self.content.unicodeScalars.contains("\u{0}") else { return "must not have the character U+0000." }
    return FieldRule<Conversation>.fault(of: self.writtenAt, now: now).map { "written_at \($0)" }
  }
}
