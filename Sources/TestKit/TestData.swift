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
