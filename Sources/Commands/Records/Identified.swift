internal import Bus
internal import KithMessages
internal import SwiftProtobuf

// What is not a record of Monica's and has ids that people type.

extension CareRecord: Identified {
  static let idKind = "care"
  static let list = "kith care list"
  static func idNoun(_ say: Language) -> String { say("entry", "記録") }
  static func words(about id: String, _ session: Session) async -> String {
    guard let record = try? await session.ask(GetCareRequest.with { $0.id = id }).record else { return "" }
    return [session.zone.text(record.occurredAt), session.language.category(record.category), record.content(session)]
      .filter { !$0.isEmpty }.joined(separator: "  ")
  }
}

extension Contact: Identified {
  static let idKind = "contact"
  static let list = "kith contacts list"
  static func idNoun(_ say: Language) -> String { say("contact", "連絡先") }
  static func words(about id: String, _ session: Session) async -> String {
    let reply = try? await session.ask(GetContactRequest.with { $0.id = id })
    return reply?.contact.shownName ?? ""
  }
}

extension Reminder: Identified {
  static let idKind = "reminder"
  static let list = "kith remind list"
  static func idNoun(_ say: Language) -> String { say("reminder", "お知らせ") }
  static func words(about id: String, _ session: Session) async -> String { id }
}

extension DeliveryEntry: Identified {
  static let idKind = "delivery"
  static let list = "kith channels deliveries"
  static func idNoun(_ say: Language) -> String { say("delivery", "送信") }
  static func words(about id: String, _ session: Session) async -> String { id }
}

extension QueueEntry: Identified {
  /// A change has the id of its record.
  static let idKind = "record"
  static let list = "kith monica queue"
  static func idNoun(_ say: Language) -> String { say("change", "変更") }
  static func words(about id: String, _ session: Session) async -> String { id }
}

extension JobInfo: Identified {
  static let idKind = "job"
  static let list = "kith jobs list"
  static func idNoun(_ say: Language) -> String { say("job", "ジョブ") }
  static func words(about id: String, _ session: Session) async -> String {
    guard let job = try? await session.ask(GetJobRequest.with { $0.jobID = id }).job else { return "" }
    return "\(JobCard.short(job.service)) \(job.stateInWords(session.language)), \(session.ago(job.createdAt))"
  }
}
