internal import Bus
internal import CivilTime
internal import KithMessages

extension Reminder {
  /// When a snoozed reminder is due again; nil if it is not snoozed. At most the snoozed minutes from now.
  var again: Due? {
    guard self.knownState == .snoozed else { return nil }
    let (until, since) = (self.snoozedUntil.nanosecondsSince1970, self.updatedAt.nanosecondsSince1970)
    // A clock that is set back a little must not end the snooze early.
    return Due(at: until, atMost: until - since + Self.slack)
  }

  /// How often a reminder can be snoozed.
  static let mostSnoozes = 3
  /// One minute.
  private static let slack: Int64 = 60_000_000_000

  /// The reminder, due again later.
  ///
  /// - Throws: `FAILED_PRECONDITION/NOT_DUE`, `/SNOOZED_ENOUGH`, `/TOO_LATE_TODAY`; `FIELD_INVALID` for the minutes.
  func snoozed(minutes: UInt32, now: Int64, zone: Zone) throws(Failure) -> Reminder {
    let minutes = minutes == 0 ? 30 : minutes
    guard minutes <= 1440 else { throw .invalid(field: "minutes", "must be at most 1440 minutes (a day).") }
    guard self.knownState == .due || self.knownState == .snoozed else {
      throw Failure(
        .failedPrecondition, "NOT_DUE", "This reminder is not due: it is \(self.state).")
    }
    guard self.snoozes < Self.mostSnoozes else {
      throw Failure(
        .failedPrecondition, "SNOOZED_ENOUGH",
        "This reminder was snoozed three times already. `kith remind done` ends it.")
    }
    let until = now + Int64(minutes) * 60_000_000_000
    guard self.knownKind != .daily || zone.day(at: until) == zone.day(at: now) else {
      throw Failure(
        .failedPrecondition, "TOO_LATE_TODAY",
        "The daily reminder cannot be snoozed past midnight. Choose fewer minutes.")
    }
    var snoozed = self
    snoozed.knownState = .snoozed
    snoozed.snoozes += 1
    snoozed.snoozedUntil = .init(nanosecondsSince1970: until)
    snoozed.updatedAt = .init(nanosecondsSince1970: now)
    return snoozed
  }
}
