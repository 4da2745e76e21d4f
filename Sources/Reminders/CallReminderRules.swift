internal import Bus
internal import CivilTime
internal import KithMessages

/// When a reminder to call somebody comes, and what it may say.
enum CallReminderRules {
  private static let longestDays = 3660

  static func note(_ note: String) throws(Failure) -> String {
    if let fault = TextLimit.reminderNote.fault(of: note) { throw .invalid(field: "note", fault) }
    return note
  }

  /// The day and the instant: at ten where no time is said.
  static func time(
    _ request: AddCallReminderRequest, now: Int64, zone: Zone
  ) throws(Failure) -> (day: Day, instant: Int64) {
    guard request.on.isEmpty != (request.inDays == 0) else {
      throw .invalid(field: "in_days", "give a number of days, or a day in `on`.")
    }
    guard request.inDays <= Self.longestDays else {
      throw .invalid(field: "in_days", "may be ten years of days, \(Self.longestDays).")
    }
    let parts = request.on.split(separator: " ", omittingEmptySubsequences: false)
    let day = request.on.isEmpty ? zone.day(at: now).adding(days: Int(request.inDays)) : Day(parts[0])
    let time = parts.count > 1 ? TimeOfDay(parts[1]) : TimeOfDay(hour: 10, minute: 0)
    guard let day, let time, parts.count <= 2, let instant = zone.instant(of: day, at: time) else {
      throw .invalid(field: "on", "must be a day as YYYY-MM-DD, or a time as YYYY-MM-DD HH:MM.")
    }
    guard instant > now else { throw .invalid(field: "on", "must be a time to come.") }
    guard day <= zone.day(at: now).adding(days: Self.longestDays) else {
      throw .invalid(field: "on", "may be at most ten years from now.")
    }
    return (day, instant)
  }
}
