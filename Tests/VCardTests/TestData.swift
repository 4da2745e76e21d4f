import Foundation

/// Where the sample files are; they are not part of the package.
enum TestData {
  /// The folder that holds `vcards/`: KITH_TEST_DATA, or `shared/data` beside the package.
  static let root: URL? = {
    let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let given = ProcessInfo.processInfo.environment["KITH_TEST_DATA"].map { URL(filePath: $0) }
    let root = given ?? package.deletingLastPathComponent().appending(path: "shared/data")
    guard FileManager.default.fileExists(atPath: root.appending(path: "vcards/expected.json").path) else {
      print("vCard samples are absent at \(root.path); set KITH_TEST_DATA to the folder that holds vcards/")
      return nil
    }
    return root
  }()

  static var vcards: URL? { root?.appending(path: "vcards") }

  static func bytes(_ url: URL) throws -> [UInt8] { [UInt8](try Data(contentsOf: url)) }
}
