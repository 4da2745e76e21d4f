internal import Foundation

/// A directory that exists for one test.
public final class TemporaryDirectory: Sendable {
  /// Where it is. Short, because the path of an ipc socket may have 107 bytes.
  public let path: String

  /// Makes an empty directory.
  public init() throws {
    let name = String(UInt32.random(in: 0...UInt32.max), radix: 36)
    self.path = "/tmp/kith-\(name)"
    try FileManager.default.createDirectory(
      atPath: self.path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
  }

  deinit { try? FileManager.default.removeItem(atPath: self.path) }

  /// The path of something in it.
  public func file(_ name: String) -> String { "\(self.path)/\(name)" }
}
