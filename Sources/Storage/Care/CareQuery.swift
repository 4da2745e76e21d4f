/// Which entries of care are asked for; what is nil or empty does not restrict.
public struct CareQuery: Sendable {
  /// From this instant on, nanoseconds since 1970.
  public var from: Int64?
  /// Up to but without this instant.
  public var to: Int64?
  /// As in `CareRecord.category`.
  public var category = ""
  /// As in `CareRecord.review`.
  public var review = ""
  /// As in `CareRecord.state`.
  public var state = ""
  /// Only entries with all words of this text.
  public var text = ""
  /// Deleted entries in place of the others.
  public var isDeleted = false
  /// By time, the oldest first; else the newest first.
  public var isAscending = false
  /// 1-500; 0 = 50.
  public var limit: UInt32 = 0
  /// `next_cursor` of the page before; empty = the first page.
  public var cursor = ""

  /// Asks for everything, newest first.
  public init() {}
}
