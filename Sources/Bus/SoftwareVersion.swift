internal import CBuild

/// The version of daemon, worker, client and command line, which are released together.
public enum SoftwareVersion {
  /// The release, by Semantic Versioning 2.0.0: written here alone, read here by scripts/version.sh, and the newest of CHANGELOG.md.
  static let release = "0.2.0"

  /// As `System/Hello`, `System/Status` and `--version` tell it: the release, with the state of the sources as build metadata
  /// where they are not those of the release.
  public static let current: String = {
    let build = String(cString: kith_build())
    return build.isEmpty ? release : "\(release)+\(build)"
  }()
}
