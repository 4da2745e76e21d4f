public import Foundation

/// Samples that tests read where they are; they are not part of the package.
public enum TestData {
  /// The folder that holds them: the one that `KITH_TEST_DATA` names, or `shared/data` beside the package.
  public static let root: URL = {
    let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let given = ProcessInfo.processInfo.environment["KITH_TEST_DATA"].map { URL(filePath: $0) }
    return given ?? package.deletingLastPathComponent().appending(path: "shared/data")
  }()

  /// A part of them, such as `vcards`; nil where it is absent, which is said.
  public static func folder(_ name: String) -> URL? {
    let folder = self.root.appending(path: name)
    guard FileManager.default.fileExists(atPath: folder.path) else {
      print("samples are absent at \(folder.path); KITH_TEST_DATA may name the folder that holds \(name)")
      return nil
    }
    return folder
  }
}

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
