internal import Bus
internal import Fields
internal import KithMessages

extension CallTemplate {
  /// The template, checked and normalized.
  ///
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID`.
  func checked(now: Int64) throws(Failure) -> CallTemplate {
    var template = self
    template.tidy(Self.fields)
    try template.check(Self.fields, now: now)
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
