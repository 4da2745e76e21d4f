public import Bus
internal import KithMessages

/// The streams of events. Each has its own gapless numbering.
public enum EventStream: Int, Sendable, CaseIterable {
  case system, jobs, sync, contacts, people, calls, conversations, care, reminders

  /// The name on the wire.
  public var name: String { Self.names[self.rawValue] }

  /// Finds a stream by name.
  ///
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN`.
  public init(named name: String) throws(Failure) {
    guard let index = Self.names.firstIndex(of: name), let stream = Self(rawValue: index) else {
      let (name, names) = (String(name.prefix(64)), Self.names.joined(separator: ", "))
      throw Failure(
        .notFound, "RECORD_UNKNOWN", "There is no stream '\(name)'. The streams are \(names).",
        details: ["record": "stream", "stream": name, "streams": names])
    }
    self = stream
  }

  private static let names = Self.allCases.map { String(describing: $0) }
}

/// The positions of all streams after a commit.
struct LogPosition: Sendable, Equatable {
  /// Changes only when the log is created or restored from a backup.
  let epoch: String
  /// The last number of each stream, by ``EventStream``'s raw value.
  var heads: [UInt64]
  /// The first number of each stream's complete log. Below it, only the last events of keys are kept.
  var firsts: [UInt64]

  /// The positions as messages.
  var streams: [StreamPosition] {
    EventStream.allCases.map { StreamPosition(stream: $0, epoch: self.epoch, seq: self.heads[$0.rawValue]) }
  }
}

extension StreamPosition {
  init(stream: EventStream, epoch: String, seq: UInt64) {
    self.init()
    self.stream = stream.name
    self.epoch = epoch
    self.seq = seq
  }
}
