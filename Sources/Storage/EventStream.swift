public import Bus

/// The streams that events are appended to. Each has its own dense numbering.
public enum EventStream: Int, Sendable, CaseIterable {
  case system, jobs, sync, contacts, people, calls, conversations, care, reminders

  /// The name on the wire.
  public var name: String { Self.names[self.rawValue] }

  /// Finds a stream.
  ///
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN`.
  public init(named name: String) throws(Failure) {
    guard let index = Self.names.firstIndex(of: name), let stream = Self(rawValue: index) else {
      throw .unknownRecord(
        "stream", "There is no stream '\(name.prefix(64))'. The streams are \(Self.names.joined(separator: ", ")).")
    }
    self = stream
  }

  private static let names = Self.allCases.map { String(describing: $0) }
}
