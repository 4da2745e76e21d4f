internal import Bus
internal import FoundationEssentials
internal import KithMessages
internal import SwiftProtobuf

/// A correction of an entry: the fields that the request names, or the fields that are not empty if it names none.
struct CareCorrection {
  private let change: CareRecord
  private let fields: FieldMask
  private let author: String

  /// Checks the request.
  ///
  /// - Throws: `FIELD_INVALID` naming the field.
  init(_ request: UpdateCareRequest, now: Int64) throws(Failure) {
    var change = request.record
    self.fields = try FieldMask(
      request.fields,
      given: [
        "category": !change.category.isEmpty, "occurred_at": change.hasOccurredAt,
        "transcript": !change.transcript.isEmpty, "memo": !change.memo.isEmpty, "recorder": !change.recorder.isEmpty,
      ])
    guard !self.fields.isEmpty else { throw .invalid(field: "record", "give at least one field to correct.") }
    if self.fields.contains("category") { change.category = try CareRules.category(change.category).rawValue }
    if self.fields.contains("occurred_at") { try CareRules.time(change.occurredAt.nanosecondsSince1970, now: now) }
    try CareRules.text(change.transcript, limit: .transcript, field: "record.transcript")
    try CareRules.text(change.memo, field: "record.memo")
    try CareRules.name(change.recorder, field: "record.recorder")
    try CareRules.name(request.correctedBy, field: "corrected_by")
    self.change = change
    self.author = request.correctedBy
  }

  func applied(to old: CareRecord) -> CareRecord {
    var record = old
    if self.fields.contains("category") {
      record.category = self.change.category
      record.suggestedCategory = ""
    }
    if self.fields.contains("occurred_at") { record.occurredAt = self.change.occurredAt }
    if self.fields.contains("memo") { record.memo = self.change.memo }
    if self.fields.contains("recorder") { record.recorder = self.change.recorder }
    if self.fields.contains("transcript") {
      record.transcript = self.change.transcript
      if record.knownReview == .needed { record.knownReview = .done }
    }
    return record
  }

  /// The entry's values in the fields that change, as people read them.
  func texts(in record: CareRecord) -> [(name: String, text: String)] {
    let texts = [
      ("category", record.category), ("occurred_at", record.occurredAt.date.formatted(.iso8601)),
      ("transcript", record.transcript), ("memo", record.memo), ("recorder", record.recorder),
    ]
    return texts.filter { self.fields.contains($0.0) }
  }

  /// The version to keep of an entry; nil if the first text is added to it, such as a memo to a recording, nothing is replaced, and
  /// nobody is named who adds it.
  func version(of old: CareRecord, as new: CareRecord, now: Int64) -> CareVersion? {
    let isFirstText = old.transcript.isEmpty && old.memo.isEmpty && !(new.transcript.isEmpty && new.memo.isEmpty)
    // A form has whole minutes.
    let isSameMinute = old.occurredAt.seconds / 60 == new.occurredAt.seconds / 60
    let isOfAnother = !old.recorder.isEmpty && old.recorder != new.recorder
    let isReplaced = old.category != new.category || !isSameMinute || isOfAnother
    guard !isFirstText || !self.author.isEmpty || isReplaced else { return nil }
    return CareVersion(of: old, replacedBy: self.author, now: now)
  }
}

extension CareVersion {
  /// The entry's values that are about to be replaced.
  init(of record: CareRecord, replacedBy author: String, now: Int64) {
    self.init()
    self.replacedAt = .init(nanosecondsSince1970: now)
    self.replacedBy = author
    self.category = record.category
    self.occurredAt = record.occurredAt
    self.transcript = record.transcript
    self.memo = record.memo
    self.recorder = record.recorder
  }
}
