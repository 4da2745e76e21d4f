internal import FoundationEssentials

/// Where reading an account goes on. The store keeps it with the account and does not look into it.
struct PullState: Codable, Sendable, Equatable {
  /// What is known of one list.
  struct List: Codable, Sendable, Equatable {
    /// All changes up to here have been read, by the server's stamps, in seconds since 1970; nil = none yet.
    var watermark: Int64?
    /// When it was last read from end to end, in nanoseconds since 1970.
    var wholeAt: Int64?
    /// Records that the server counts and that are not kept here, such as those of people who are deleted.
    var unkept = 0
    /// Records that are there and not in the list, such as archived people.
    var unlisted: Set<UInt64> = []
    /// When all of those were last asked for, in nanoseconds since 1970.
    var askedAt: Int64?
  }

  /// By the wire name of the kind.
  var lists: [String: List] = [:]
  /// When the catalogs were last read, in nanoseconds since 1970.
  var catalogsAt: Int64?

  /// Makes the state of an account that was never read.
  init() {}

  /// Reads what the store kept. What cannot be read means that everything is read again.
  init(stored bytes: [UInt8]?) {
    let state = bytes.flatMap { try? JSONDecoder().decode(Self.self, from: Data($0)) }
    self = state ?? Self()
  }

  /// What the store keeps.
  var stored: [UInt8] {
    // Numbers and names always encode.
    (try? JSONEncoder().encode(self)).map(Array.init) ?? []
  }
}
