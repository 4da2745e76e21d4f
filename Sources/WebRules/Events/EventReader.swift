/// One reader of events: its positions, and what waits to be sent to it. A pure value.
public struct EventReader: Sendable {
  /// What is sent to a reader, or done for it.
  public enum Item: Sendable, Hashable {
    /// Where the reader is: the first thing that it gets.
    case position(id: String)
    /// An event.
    case event(id: String, json: String)
    /// The reader has to fetch the state of a stream again.
    case resync(id: String, stream: String, reason: String)
    /// Whether the hub answers.
    case hub(isUp: Bool)
    /// A sign of life.
    case comment
    /// The events of a stream after a number have to be fetched.
    case gap(stream: String, epoch: String, after: UInt64)
    /// The stream ends.
    case end
  }

  /// The most events that wait for a reader. With one more, the reader has to fetch the state again.
  static let room = 256

  let device: String
  private let streams: Set<String>
  private var epoch: String
  /// The number of the last event that was sent, by stream.
  private var positions: [String: UInt64]
  /// Up to where a stream has to be filled before its waiting events count.
  private var targets: [String: UInt64]
  private var waiting: [EventFrame] = []
  private var filling: [EventFrame] = []
  private var notices: [Item]
  private var isEnded = false

  /// Makes a reader that begins at `since`, or at the heads.
  init(
    device: String, streams: Set<String>, epoch: String, heads: [String: UInt64], since: EventVector?, isHubUp: Bool
  ) {
    self.device = device
    self.streams = streams
    self.epoch = epoch
    self.positions = heads
    self.targets = heads
    self.notices = []
    var restarted: [(String, String)] = []
    if let since {
      for (stream, head) in heads.sorted(by: { $0.key < $1.key }) {
        let known = since.epoch == epoch ? since.positions[stream] : nil
        if let known, known <= head {
          self.positions[stream] = known
        } else {
          let why = since.epoch != epoch ? "new_epoch" : known == nil ? "no_position" : "hub_behind"
          restarted.append((stream, why))
        }
      }
    }
    self.notices.append(.position(id: self.id))
    for (stream, reason) in restarted { self.notices.append(.resync(id: self.id, stream: stream, reason: reason)) }
    if !isHubUp { self.notices.append(.hub(isUp: false)) }
  }

  private var id: String { EventVector(epoch: self.epoch, positions: self.positions).text }

  /// Takes an event of the hub; returns whether the reader has to be woken.
  mutating func offer(_ frame: EventFrame) -> Bool {
    guard self.streams.contains(frame.stream), !self.isEnded else { return false }
    guard self.waiting.count < Self.room else {
      // It reads too slowly. Its queue is dropped, and each stream restarts at its newest event.
      var newest = self.positions.merging(self.targets) { max($0, $1) }
      for held in self.waiting { newest[held.stream] = max(newest[held.stream] ?? 0, held.seq) }
      newest[frame.stream] = frame.seq
      self.waiting = []
      self.filling = []
      self.notices.removeAll { $0 == .comment }
      for (stream, seq) in newest.sorted(by: { $0.key < $1.key }) where seq > self.positions[stream] ?? 0 {
        _ = self.restart(stream, at: seq, epoch: self.epoch, reason: "too_slow")
      }
      return true
    }
    self.waiting.append(frame)
    return true
  }

  /// Restarts a stream at a position.
  mutating func restart(_ stream: String, at seq: UInt64, epoch: String, reason: String) -> Bool {
    guard self.streams.contains(stream), !self.isEnded else { return false }
    if epoch != self.epoch {
      self.epoch = epoch
      self.positions = [:]
      self.targets = [:]
      self.waiting = []
      self.filling = []
    }
    self.positions[stream] = seq
    self.targets[stream] = seq
    self.waiting.removeAll { $0.stream == stream && $0.seq <= seq }
    self.filling.removeAll { $0.stream == stream }
    self.notices.append(.resync(id: self.id, stream: stream, reason: reason))
    return true
  }

  mutating func notice(_ item: Item) -> Bool {
    guard !self.isEnded else { return false }
    if case .hub = item { self.notices.removeAll { if case .hub = $0 { true } else { false } } }
    // A reader that takes nothing needs one of them.
    if !self.notices.contains(item) { self.notices.append(item) }
    return true
  }

  mutating func end() -> Bool {
    self.isEnded = true
    return true
  }

  mutating func fill(_ stream: String, _ frames: [EventFrame]) {
    self.filling += frames.filter { $0.stream == stream }
  }

  /// What is sent next.
  ///
  /// - Parameter recent: The last events of a stream from a number on; nil if they are not kept.
  mutating func take(_ recent: (_ stream: String, _ seq: UInt64) -> ArraySlice<EventFrame>?) -> [Item] {
    guard !self.isEnded else { return [.end] }
    var items = self.notices
    self.notices = []
    self.advance(self.filling, into: &items)
    self.filling = []
    for stream in self.targets.keys.sorted() {
      guard let target = self.targets[stream], let position = self.positions[stream], position < target else {
        continue
      }
      if let frames = recent(stream, position + 1) {
        self.advance(Array(frames.prefix { $0.seq <= target }), into: &items)
      }
      guard let position = self.positions[stream], position < target else { continue }
      items.append(.gap(stream: stream, epoch: self.epoch, after: position))
      return items
    }
    let waiting = self.waiting
    self.waiting = []
    for (index, frame) in waiting.enumerated() {
      let position = self.positions[frame.stream] ?? frame.seq - 1
      if frame.seq > position + 1 {
        // Events were lost on the way here, which the hub's client never does; they are fetched all the same.
        self.targets[frame.stream] = frame.seq - 1
        self.waiting = Array(waiting[index...])
        items.append(.gap(stream: frame.stream, epoch: self.epoch, after: position))
        return items
      }
      self.advance([frame], into: &items)
    }
    return items
  }

  /// Sends the events that are the next ones.
  private mutating func advance(_ frames: [EventFrame], into items: inout [Item]) {
    for frame in frames {
      guard frame.seq == (self.positions[frame.stream] ?? frame.seq - 1) + 1 else { continue }
      self.positions[frame.stream] = frame.seq
      items.append(.event(id: self.id, json: frame.json))
    }
  }
}
