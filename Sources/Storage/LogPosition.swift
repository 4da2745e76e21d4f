internal import KithMessages

/// Where the streams stand after a commit.
struct LogPosition: Sendable, Equatable {
  /// Changes only when the log is made anew or comes out of a backup.
  let epoch: String
  /// The last number of each stream, by ``EventStream``'s raw value.
  var heads: [UInt64]
  /// From which number on each stream's log is whole; below it are only the last events of keys.
  var firsts: [UInt64]

  /// The same as messages.
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
