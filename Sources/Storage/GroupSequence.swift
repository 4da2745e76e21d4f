internal import KithMessages

/// The numbers and events of a group of writes that commit together.
///
/// The group's rule, without I/O: a member takes numbers, and returns them if it is undone, so that each stream stays
/// gapless over the members that are kept.
struct GroupSequence {
  /// The last number of each stream, by ``EventStream``'s raw value.
  private(set) var heads: [UInt64]
  /// The events to publish after COMMIT, in order.
  private(set) var events: [LoggedEvent] = []
  /// The bytes that the journal keeps for the group's commands.
  private(set) var journalBytes: Int64 = 0

  private let start: [UInt64]
  private var mark: [UInt64]
  private var markedEvents = 0
  private var markedBytes: Int64 = 0

  /// Begins a group.
  ///
  /// - Parameter heads: The last numbers after the previous group.
  init(heads: [UInt64]) {
    self.heads = heads
    self.start = heads
    self.mark = heads
  }

  /// Begins a member, and keeps what the previous one did.
  mutating func beginMember() {
    self.mark = self.heads
    self.markedEvents = self.events.count
    self.markedBytes = self.journalBytes
  }

  /// Takes the next number of a stream.
  mutating func take(_ stream: EventStream) -> UInt64 {
    self.heads[stream.rawValue] += 1
    return self.heads[stream.rawValue]
  }

  /// Adds an event whose number was taken.
  mutating func record(_ event: LoggedEvent) { self.events.append(event) }

  /// Adds the bytes that the journal keeps for the member.
  mutating func keep(bytes: Int64) { self.journalBytes += bytes }

  /// Returns the member's numbers, events and bytes.
  mutating func undoMember() {
    self.heads = self.mark
    self.journalBytes = self.markedBytes
    self.events.removeSubrange(self.markedEvents...)
  }

  /// The streams that the current member appended to.
  var movedByMember: [EventStream] { self.moved(since: self.mark) }

  /// The streams that the group appended to.
  var movedByGroup: [EventStream] { self.moved(since: self.start) }

  /// The last number of a stream.
  subscript(stream: EventStream) -> UInt64 { self.heads[stream.rawValue] }

  private func moved(since earlier: [UInt64]) -> [EventStream] {
    EventStream.allCases.filter { self.heads[$0.rawValue] != earlier[$0.rawValue] }
  }
}
