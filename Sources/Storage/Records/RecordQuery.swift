/// The filter of a list of records. Properties that are not set do not filter.
public struct RecordQuery: Sendable, Hashable {
  /// 1-500 records; 0 = 50.
  public var limit: UInt32
  /// `nextCursor` of the page before; empty = the first page.
  public var cursor: String
  /// Only those that are about this person: theirs, and those that they take part in.
  public var person: String?
  /// Only those from this moment on, in nanoseconds since 1970. Not for people and tags.
  public var from: Int64?
  /// Only those before this moment, in nanoseconds since 1970. Not for people and tags.
  public var to: Int64?
  /// Only calls with this feeling.
  public var emotion: String?
  /// Only people and calls that carry this tag. Case and accents make no difference.
  public var tag: String?
  /// Only conversations over this channel. Case and accents make no difference.
  public var channel: String?
  /// Only those that stand so with the server.
  public var syncState: RecordState?
  /// Deleted ones stand among the others.
  public var includesDeleted: Bool
  /// Archived people stand among the others.
  public var includesArchived: Bool
  /// People known only through somebody else stand among the others.
  public var includesPartial: Bool
  /// Only calls whose timer runs.
  public var isRunning: Bool

  /// Makes a query.
  public init(
    limit: UInt32 = 0, cursor: String = "", person: String? = nil, from: Int64? = nil, to: Int64? = nil,
    emotion: String? = nil, tag: String? = nil, channel: String? = nil, syncState: RecordState? = nil,
    includesDeleted: Bool = false, includesArchived: Bool = false, includesPartial: Bool = false,
    isRunning: Bool = false
  ) {
    self.limit = limit
    self.cursor = cursor
    self.person = person
    self.from = from
    self.to = to
    self.emotion = emotion
    self.tag = tag
    self.channel = channel
    self.syncState = syncState
    self.includesDeleted = includesDeleted
    self.includesArchived = includesArchived
    self.includesPartial = includesPartial
    self.isRunning = isRunning
  }
}
