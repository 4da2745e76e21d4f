/// The version of daemon, client and command line, which are released together.
public enum SoftwareVersion {
  /// As `System/Status` and `--version` tell it. Semantic Versioning 2.0.0.
  public static let current = "0.1.0"
}
