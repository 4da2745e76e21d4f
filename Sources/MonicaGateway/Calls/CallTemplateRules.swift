internal import Bus
internal import KithMessages

extension CallTemplate {
  private static let rules: [FieldRule<CallTemplate>] = [
    .line("name", \.name, limit: .word, isRequired: true), Call.duration("duration_minutes", \.durationMinutes),
    .choice("emotion", \.emotion, Call.emotions), .text("note", \.note, limit: .memo),
    .names("tags", \.tags, count: 20, limit: .word) { Call.isWord($0) ? nil : Call.wordWanted },
  ]

  /// The template, checked and normalized.
  ///
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID`.
  func checked(now: Int64) throws(Failure) -> CallTemplate {
    var template = self
    for rule in Self.rules { rule.tidy(&template) }
    for rule in Self.rules {
      if let why = rule.fault(template, now) { throw .invalid(field: rule.field, why) }
    }
    return template
  }

  /// Fills the empty fields of a call.
  func fill(_ call: inout Call) {
    if call.durationMinutes == 0 { call.durationMinutes = self.durationMinutes }
    if call.emotion.isEmpty { call.emotion = self.emotion }
    if call.note.isEmpty { call.note = self.note }
    if call.tags.isEmpty { call.tags = self.tags }
    call.theyCalled = call.theyCalled || self.theyCalled
  }
}
