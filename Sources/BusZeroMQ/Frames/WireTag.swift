/// The first frame of a plane's messages: the protocol and its major version. docs/protocol.md, 2.
struct WireTag: Sendable, Hashable {
  /// The six bytes of the frame.
  let bytes: [UInt8]

  /// Commands and their answers.
  static let control = WireTag("KTHC01")
  /// Events.
  static let events = WireTag("KTHE01")

  /// Jobs.
  static let work = WireTag("KTHW01")

  private init(_ text: String) { self.bytes = Array(text.utf8) }

  /// The relation of another tag to this one.
  enum Comparison {
    /// The same protocol and version.
    case same
    /// The same plane in another major version.
    case otherMajor
    /// Not a message of this plane.
    case foreign
  }

  func compare(_ other: [UInt8]) -> Comparison {
    if other == self.bytes { return .same }
    return other.count == self.bytes.count && other.starts(with: self.bytes.dropLast(2)) ? .otherMajor : .foreign
  }
}

/// The kind of a message of the control plane.
enum ControlKind: UInt8, Sendable, Hashable {
  /// A command, from client to hub.
  case request = 1
  /// A sign of life of a running command: first `Accepted`, then `Progress`.
  case partial = 2
  /// The answer of a command.
  case final = 3
}

/// The kind of a message of the events plane.
enum EventKind: UInt8, Sendable, Hashable {
  /// One event of a stream.
  case event = 1
  /// The positions of all streams.
  case head = 2
}
