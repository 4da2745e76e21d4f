internal import Bus
internal import KithMessages
internal import Secrets
internal import ZeroMQ

/// The pair of keys by which this hub is known to other machines, and while they change the one that follows it.
///
/// In a file of its own that nobody else may read, written whole: neither in the store nor in its copies.
struct ServerKeys: Sendable, Hashable {
  /// The pair that follows.
  struct Next: Sendable, Hashable {
    let pair: CurveKeyPair
    /// When it takes the place of the present one, nanoseconds since 1970.
    let until: Int64
  }

  private(set) var current: CurveKeyPair
  private(set) var next: Next?

  /// Keys of a new server.
  init() throws(Failure) { self.current = try Self.random() }

  /// Reads the text of the file; nil when it is not one.
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

  /// Makes a pair that follows at `moment`; one that follows already stays as it is.
  mutating func rotate(until moment: Int64) throws(Failure) {
    guard self.next == nil else { return }
    self.next = Next(pair: try Self.random(), until: moment)
  }

  /// Lets the pair that follows take over when its time has come.
  ///
  /// - Returns: Whether it has.
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

  /// Reads the keys of a state directory; nil when it has none.
  ///
  /// - Throws: `FAILED_PRECONDITION/SECRET_UNREADABLE`. A file that cannot be read is never replaced: it is what clients trust.
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

  /// Writes the keys, whole or not at all.
  ///
  /// - Throws: `FAILED_PRECONDITION/SECRET_NOT_KEPT`.
  func keep(_ stateDirectory: String) throws(Failure) {
    try Self.file(stateDirectory).write(Array(self.text.utf8))
  }
}
