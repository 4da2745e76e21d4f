internal import CBuild

/// The version of the daemon, workers, clients and command line, which are released together.
///
/// ```swift
/// print("kith \(SoftwareVersion.current)")  // kith 0.2.0
/// ```
public enum SoftwareVersion {
  /// The release by Semantic Versioning 2.0.0. Only this line states it; scripts/version.sh reads it, CHANGELOG.md agrees.
  static let release = "0.2.0"

  /// Midnight UTC of the day of that release, in nanoseconds since 1970. A clock that stands before it is wrong.
  public static let released: Int64 = 1_795_392_000_000_000_000  // 2026-11-23

  /// The version in `System/Hello`, `System/Status` and `--version`: the release, plus the state of the sources as build
  /// metadata if they differ from the release.
  public static let current: String = {
    let build = String(cString: kith_build())
    return build.isEmpty ? release : "\(release)+\(build)"
  }()
}
