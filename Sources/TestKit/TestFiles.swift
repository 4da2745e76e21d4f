public import Foundation

/// Samples outside the package that tests read.
public enum TestData {
  /// The folder of the samples: `KITH_TEST_DATA`, or `shared/data` beside the package.
  public static let root: URL = {
    let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let given = ProcessInfo.processInfo.environment["KITH_TEST_DATA"].map { URL(filePath: $0) }
    return given ?? package.deletingLastPathComponent().appending(path: "shared/data")
  }()

  /// A folder of samples, such as `vcards`; nil, with a printed line, if it is absent.
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
  /// The path of the directory. It is short, because the path of an ipc socket may have 107 bytes.
  public let path: String

  /// Creates an empty directory.
  public init() throws {
    let name = String(UInt32.random(in: 0...UInt32.max), radix: 36)
    self.path = "/tmp/kith-\(name)"
    try FileManager.default.createDirectory(
      atPath: self.path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
  }

  deinit { try? FileManager.default.removeItem(atPath: self.path) }

  /// The path of a file in it.
  public func file(_ name: String) -> String { "\(self.path)/\(name)" }

  /// Writes a program of the shell; returns its path.
  ///
  /// Another process does it. A file that this one writes could still be open in a child that another test has just forked, and the system
  /// runs no program that is open for writing.
  public func program(_ script: String, named name: String) throws -> String {
    let writer = try Process.run(
      URL(filePath: "/bin/sh"),
      arguments: ["-c", #"printf '#!/bin/sh\n%s\n' "$1" > "$0" && chmod 700 "$0""#, self.file(name), script])
    writer.waitUntilExit()
    guard writer.terminationStatus == 0 else { throw CocoaError(.fileWriteUnknown) }
    return self.file(name)
  }
}
