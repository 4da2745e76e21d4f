internal import Foundation

/// Where this program is, and the others that are installed with it.
///
/// ```swift
/// print(ProgramFolder.path + "/kith-report")
/// ```
public enum ProgramFolder {
  /// The absolute path of the folder.
  public static let path: String = {
    let program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return (program as NSString).deletingLastPathComponent
  }()
}
