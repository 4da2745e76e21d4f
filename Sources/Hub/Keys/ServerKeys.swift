internal import Bus
internal import KithMessages
internal import Secrets
internal import ZeroMQ

/// The hub's key pair for tcp, and during a rotation the next pair.
///
/// Stored in a private file, written atomically; neither the store nor its backups contain it.
struct ServerKeys: Sendable, Hashable {
  /// The next pair.
  struct Next: Sendable, Hashable {
    let pair: CurveKeyPair
    /// When it replaces the current pair, nanoseconds since 1970.
    let until: Int64
  }

  private(set) var current: CurveKeyPair
  private(set) var next: Next?

  /// Creates the keys of a new server.
  init() throws(Failure) { self.current = try Self.random() }

  /// Parses the file; nil if it is invalid.
  init?(text: String) {
    var current: CurveKeyPair?
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count >= 2, let secret = CurveKey(text: String(words[1])),
        let pair = try? CurveKeyPair(secretKey: secret)
      else { return nil }
      switch (words[0], words.count) {
      case ("secret", 2): current = pair
      case ("next", 3):
        guard let until = Int64(words[2]) else { return nil }
        self.next = Next(pair: pair, until: until)
      default: return nil
      }
    }
    guard let current else { return nil }
    self.current = current
  }

  /// The text of the file.
  var text: String {
    "secret \(self.current.secretKey.z85)\n" + (self.next.map { "next \($0.pair.secretKey.z85) \($0.until)\n" } ?? "")
  }

  /// Creates the next pair, which takes over at `moment`. An existing next pair stays.
  mutating func rotate(until moment: Int64) throws(Failure) {
    guard self.next == nil else { return }
    self.next = Next(pair: try Self.random(), until: moment)
  }

  /// Replaces the current pair if it is time.
  ///
  /// - Returns: Whether it was replaced.
  mutating func settle(_ now: Int64) -> Bool {
    guard let next, next.until <= now else { return false }
    self.current = next.pair
    self.next = nil
    return true
  }

  private static func random() throws(Failure) -> CurveKeyPair {
    do throws(ZMQError) {
      return try CurveKeyPair.random()
    } catch {
      throw Failure(
        .failedPrecondition, "NOT_CONFIGURED", "No key can be made: \(error). libzmq has to be built with CURVE.")
    }
  }
}

extension ServerKeys {
  /// The file of a state directory.
  private static func file(_ stateDirectory: String) -> SecretFile {
    SecretFile(path: "\(stateDirectory)/server.key")
  }

  /// Reads the keys of a state directory; nil if it has none.
  ///
  /// - Throws: `FAILED_PRECONDITION/SECRET_UNREADABLE`. An unreadable file is never replaced, because clients trust its
  ///   key.
  static func load(_ stateDirectory: String) throws(Failure) -> ServerKeys? {
    let file = Self.file(stateDirectory)
    guard let text = try file.read() else { return nil }
    guard let keys = ServerKeys(text: text) else {
      throw Failure(
        .failedPrecondition, "SECRET_UNREADABLE",
        "\(file.path) is not a file of server keys. Restore it from a copy; or remove it, and give every client the new key."
      )
    }
    return keys
  }

  /// Writes the keys atomically.
  ///
  /// - Throws: `FAILED_PRECONDITION/SECRET_NOT_KEPT`.
  func keep(_ stateDirectory: String) throws(Failure) {
    try Self.file(stateDirectory).write(Array(self.text.utf8))
  }
}
