public import CivilTime
public import KithMessages

/// What a sentence to the house asks for.
///
/// ```swift
/// let house = Listener(now: now, zone: zone, recipient: "Yoshiko Sato")
/// house.understand("She took her medicine at eight.", .english)  // .record(.medication, …)
/// ```
public enum Intention: Sendable, Hashable {
  /// Record care, with the words as they were said.
  ///
  /// - Parameter at: Seconds since 1970; nil = now.
  case record(CareCategory, memo: String, at: Int64?)
  /// Tell when a category was recorded last.
  case askLast(CareCategory)
  /// Tell what was recorded on a day, of one category or of all.
  case askDay(Day, CareCategory?)
  /// Remind to call somebody, on a day and perhaps at a time.
  case remindToCall(name: String, on: Day, at: TimeOfDay?)
  /// Remind to record every day at a time.
  case remindDaily(TimeOfDay)
  /// Turn the daily reminder on or off.
  case switchDaily(Bool)
  /// Take back what was recorded last from here.
  case undo
  /// Take back what was recorded, if that is what was just answered: "that was wrong".
  case undoAnswer
  /// Nothing that is sure: nothing is stored, and the house asks back.
  case unclear(Doubt)
}

/// Why a sentence is not carried out.
public enum Doubt: Error, Hashable {
  /// There are no words, or too many.
  case noWords, tooLong
  /// The sentence is not complete.
  case half
  /// It is none of the sentences that are known; perhaps it is about a category.
  case unknown(CareCategory?)
  /// Something did not happen.
  case negated
  /// Something is to happen.
  case planned
  /// Something happens only if something else does, or may have happened.
  case conditional, unsure
  /// Somebody else said it.
  case reported
  /// A question that cannot be answered.
  case question
  /// It may be about somebody who is not cared for here.
  case whose
  /// It is about several things at once.
  case several
  /// The time is missing, or may be one of several.
  case whichTime
  /// The hour may be one of the morning or of the evening.
  case whichHalf(hour: Int)
  /// The time has not come yet.
  case notYet
  /// A reminder of what, or when?
  case whichReminder, whichDay
}
