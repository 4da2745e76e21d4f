internal import Bus
public import KithMessages
internal import SwiftProtobuf

/// The events that the hub sent last, and who reads them. A pure value: what to send is decided here.
///
/// The hub is subscribed to once. Each reader has a position in each of its streams; an event is sent to it if it is the next one, and
/// what it lacks comes from the last events, or from the hub.
///
/// ```swift
/// var board = EventBoard()
/// board.start(heads)
/// let id = board.join(streams: ["care"], since: nil, of: "DIGEST")
/// let woken = board.publish(event)
/// for item in board.take(id) { send(item) }
/// ```
public struct EventBoard: Sendable {
  /// Names a reader.
  public typealias ReaderID = Int

  /// The streams that there are.
  public static let streams = [
    "care", "calls", "contacts", "conversations", "jobs", "people", "reminders", "sync", "system",
  ]
  /// The events of a stream that are kept.
  static let kept = 256

  private var epoch = ""
  /// The number of the last event of each stream whose position is known.
  private var heads: [String: UInt64] = [:]
  private var last: [String: [EventFrame]] = [:]
  private var causes: [String: String] = [:]
  private var readers: [ReaderID: EventReader] = [:]
  private var count = 0

  /// Whether the hub answers.
  public private(set) var isHubUp = false

  /// Makes a board that knows nothing yet.
  public init() {}

  /// Whether positions are known, so that readers may come.
  public var isStarted: Bool { !self.heads.isEmpty }

  /// The positions up to which the hub was read.
  public var positions: [StreamPosition] {
    self.heads.map { stream, seq in
      var position = StreamPosition()
      position.stream = stream
      position.epoch = self.epoch
      position.seq = seq
      return position
    }
  }

  /// How far the hub was read; nil before the start.
  public var vector: EventVector? {
    self.isStarted ? EventVector(epoch: self.epoch, positions: self.heads) : nil
  }

  /// Those who read, by whose token.
  public var tokens: Set<String> { Set(self.readers.values.map(\.device)) }

  // MARK: - From the hub

  /// Takes the hub's positions at the start.
  public mutating func start(_ heads: [StreamPosition]) {
    for head in heads where Self.streams.contains(head.stream) {
      self.epoch = head.epoch
      self.heads[head.stream] = head.seq
    }
  }

  /// Takes an event; returns who has to be woken.
  public mutating func publish(_ event: LoggedEvent) -> [ReaderID] {
    let stream = event.header.stream
    guard let frame = EventFrame(event) else { return [] }
    self.heads[stream] = frame.seq
    self.last[stream, default: []].append(frame)
    if (self.last[stream]?.count ?? 0) > Self.kept { self.last[stream]?.removeFirst() }
    return self.tell { $0.offer(frame) }
  }

  /// Notes that the hub restarts a stream; ``moved(_:)`` has its new position.
  public mutating func resync(_ stream: String, cause: String) { self.causes[stream] = cause }

  /// Takes the position of a restarted or repaired stream. Returns the readers to wake.
  public mutating func moved(_ position: StreamPosition) -> [ReaderID] {
    let stream = position.stream
    let isNewLog = position.epoch != self.epoch
    if isNewLog {
      // The numbers of the other streams belong to the old log until their own positions come.
      self.epoch = position.epoch
      self.heads = [:]
      self.last = [:]
    }
    let cause = self.causes.removeValue(forKey: stream)
    let isBehind = self.heads[stream].map { position.seq < $0 } ?? false
    self.heads[stream] = position.seq
    guard isNewLog || isBehind || cause != nil else { return [] }
    self.last[stream] = nil
    let reason = cause ?? (isNewLog ? "new_epoch" : "hub_behind")
    return self.tell { $0.restart(stream, at: position.seq, epoch: position.epoch, reason: reason) }
  }

  /// Notes whether the hub answers; returns who has to be woken.
  public mutating func hub(isUp: Bool) -> [ReaderID] {
    guard isUp != self.isHubUp else { return [] }
    self.isHubUp = isUp
    return self.tell { $0.notice(.hub(isUp: isUp)) }
  }

  /// Time for a sign of life; returns who has to be woken.
  public mutating func tick() -> [ReaderID] { self.tell { $0.notice(.comment) } }

  // MARK: - Readers

  /// Lets a reader in.
  ///
  /// - Parameters:
  ///   - streams: Of ``streams``.
  ///   - since: How far it has read; nil = it begins now.
  ///   - device: The digest of its token.
  public mutating func join(streams: [String], since: EventVector?, of device: String) -> ReaderID {
    self.count += 1
    let heads = self.heads.filter { streams.contains($0.key) }
    self.readers[self.count] = EventReader(
      device: device, streams: Set(streams), epoch: self.epoch, heads: heads, since: since, isHubUp: self.isHubUp)
    return self.count
  }

  /// Forgets a reader.
  public mutating func leave(_ id: ReaderID) { self.readers[id] = nil }

  /// Ends the streams of a device, or of all; returns who has to be woken.
  public mutating func end(device: String? = nil) -> [ReaderID] {
    self.tell { reader in
      guard device == nil || reader.device == device else { return false }
      return reader.end()
    }
  }

  /// What a reader is sent next, in order. After ``EventReader/Item/gap(_:)`` nothing follows until ``fill(_:_:_:)``.
  public mutating func take(_ id: ReaderID) -> [EventReader.Item] {
    let last = self.last
    return self.readers[id]?.take { stream, seq in
      guard let frames = last[stream], let first = frames.first, first.seq <= seq else { return nil }
      return frames.dropFirst(Int(seq - first.seq))
    } ?? [.end]
  }

  /// Gives a reader the events that it lacked.
  public mutating func fill(_ id: ReaderID, _ stream: String, _ events: [LoggedEvent]) {
    self.readers[id]?.fill(stream, events.compactMap(EventFrame.init))
  }

  /// Lets a reader go on at the present, because the events that it lacks are gone.
  public mutating func skip(_ id: ReaderID, _ stream: String, reason: String) {
    guard let head = self.heads[stream] else { return }
    _ = self.readers[id]?.restart(stream, at: head, epoch: self.epoch, reason: reason)
  }

  private mutating func tell(_ change: (inout EventReader) -> Bool) -> [ReaderID] {
    var woken: [ReaderID] = []
    for index in self.readers.indices where change(&self.readers.values[index]) {
      woken.append(self.readers[index].key)
    }
    return woken
  }
}

/// An event as it is sent.
struct EventFrame: Sendable, Hashable {
  let stream: String
  let seq: UInt64
  /// `{"header":{…},"event":{…}}`.
  let json: String

  /// Nil if the event cannot be written as JSON.
  init?(_ event: LoggedEvent) {
    guard let json = try? event.jsonString() else { return nil }
    self.stream = event.header.stream
    self.seq = event.header.seq
    self.json = json
  }
}
