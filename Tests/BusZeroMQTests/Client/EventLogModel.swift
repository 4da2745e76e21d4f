import Bus
import KithMessages
import SwiftProtobuf

/// A model of a stream's log: events in order, of which old ones may be compacted.
struct EventLogModel: Sendable {
  let stream: String
  private(set) var epoch: String
  /// The instance of the hub that serves the log.
  var hubInstance = "first"
  private(set) var events: [LoggedEvent] = []
  private(set) var head: UInt64 = 0
  private var lastByKey: [String: LoggedEvent] = [:]

  init(stream: String, epoch: String) {
    self.stream = stream
    self.epoch = epoch
  }

  var position: StreamPosition {
    .with {
      $0.stream = self.stream
      $0.epoch = self.epoch
      $0.seq = self.head
    }
  }

  var headMessage: Head {
    .with {
      $0.heads = [self.position]
      $0.hubInstance = self.hubInstance
    }
  }

  /// The expected final state of a subscriber: the number of the last event of each key.
  var state: [String: UInt64] { self.lastByKey.mapValues(\.header.seq) }

  @discardableResult
  mutating func append(key: String) -> LoggedEvent {
    self.head += 1
    let event = LoggedEvent.with {
      $0.header.stream = self.stream
      $0.header.epoch = self.epoch
      $0.header.seq = self.head
      $0.header.key = key
    }
    self.events.append(event)
    self.lastByKey[key] = event
    return event
  }

  /// Removes all but the last few events, except from the view by key.
  mutating func compact(keeping count: Int) { self.events.removeFirst(max(0, self.events.count - count)) }

  /// Starts a new epoch, as after a restored backup.
  mutating func restart(epoch: String) { self = EventLogModel(stream: self.stream, epoch: epoch) }

  func replay(_ request: ReplayRequest, pageSize: Int = 500) -> Result<ReplayReply, Failure> {
    guard request.epoch == self.epoch, request.afterSeq <= self.head else {
      return .failure(Failure(.outOfRange, "EPOCH_CHANGED", ""))
    }
    guard request.afterSeq + 1 >= (self.events.first?.header.seq ?? self.head + 1) else {
      return .failure(Failure(.outOfRange, "SEQ_COMPACTED", ""))
    }
    let newer = self.events.filter { $0.header.seq > request.afterSeq }
    return .success(
      .with {
        $0.events = Array(newer.prefix(pageSize))
        $0.head = self.position
        $0.more = newer.count > pageSize
      })
  }

  /// The token is the number of keys on earlier pages.
  func snapshot(_ request: SnapshotRequest, pageSize: Int = 500) -> SnapshotReply {
    let skipped = Int(request.pageToken) ?? 0
    let keys = self.lastByKey.keys.sorted()
    return .with {
      $0.lastByKey = keys.dropFirst(skipped).prefix(pageSize).compactMap { self.lastByKey[$0] }
      $0.position = self.position
      $0.nextPageToken = keys.count > skipped + pageSize ? "\(skipped + pageSize)" : ""
    }
  }
}

/// The state that a consumer derives from a stream, with errors in the order of elements.
struct ConsumerModel: Sendable {
  private(set) var state: [String: UInt64] = [:]
  private(set) var position = StreamPosition()
  private(set) var resyncs: [StreamElement.Cause] = []
  private(set) var faults: [String] = []
  /// Events since the last snapshot or position.
  private(set) var events: [UInt64] = []
  private var isReadingSnapshot = true

  mutating func take(_ element: StreamElement) {
    switch element {
    case .event(let event):
      if self.isReadingSnapshot { self.faults.append("event \(event.header.seq) within a snapshot") }
      if event.header.seq != self.position.seq + 1 {
        self.faults.append("event \(event.header.seq) after \(self.position.seq)")
      }
      self.position.seq = event.header.seq
      self.state[event.header.key] = event.header.seq
      self.events.append(event.header.seq)
    case .snapshot(let event):
      if !self.isReadingSnapshot { self.faults.append("snapshot item without a snapshot") }
      self.state[event.header.key] = event.header.seq
    case .position(let position):
      self.position = position
      self.isReadingSnapshot = false
    case .resync(_, let cause):
      self.resyncs.append(cause)
      self.state = [:]
      self.isReadingSnapshot = true
    }
  }

  /// Continues from a saved position.
  mutating func resume(at position: StreamPosition) {
    self.position = position
    self.isReadingSnapshot = false
  }
}
