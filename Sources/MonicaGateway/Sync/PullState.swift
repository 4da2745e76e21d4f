internal import FoundationEssentials

/// The position of the reading of an account. The store treats it as opaque.
struct PullState: Codable, Sendable, Equatable {
  /// The state of one list.
  struct List: Codable, Sendable, Equatable {
    /// All changes up to this time have been read, by the server's clock in seconds since 1970; nil if none.
    var watermark: Int64?
    /// The time of the last complete reading, in nanoseconds since 1970; nil if it is to be read completely, also because nothing is
    /// decided yet on what it lacked.
    var wholeAt: Int64?
    /// The number of records that the server counts and that are not stored here, such as those of deleted people.
    var unkept = 0
    /// Records that exist but are not in the list, such as archived people.
    var unlisted: Set<UInt64> = []
    /// The time when all of those were last requested, in nanoseconds since 1970.
    var askedAt: Int64?
  }

  /// By the wire name of the kind.
  var lists: [String: List] = [:]
  /// The time of the last reading of the catalogs, in nanoseconds since 1970.
  var catalogsAt: Int64?

  /// Makes the state of an account that was never read.
  init() {}

  /// Parses the stored state. If it cannot be parsed, everything is read again.
  init(stored bytes: [UInt8]?) {
    let state = bytes.flatMap { try? JSONDecoder().decode(Self.self, from: Data($0)) }
    self = state ?? Self()
  }

  /// The state as stored.
  var stored: [UInt8] {
    // Encoding numbers and names cannot fail.
    (try? JSONEncoder().encode(self)).map(Array.init) ?? []
  }
}
