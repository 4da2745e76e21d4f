internal import Bus
import Glibc
internal import KithMessages

/// The failures of a source on disk, with advice for a person.
enum SourceFault {
  /// The failure for an `errno` of opening or reading the folder or file of a source.
  static func opening(_ path: String, errno code: Int32) -> Failure {
    switch code {
    case ENOENT:
      Failure(
        .notFound, "SOURCE_UNAVAILABLE",
        "'\(path)' does not exist. It was moved, or its disk is not mounted. The contacts stay as they are.",
        details: ["path": path])
    case EACCES, EPERM:
      Failure(
        .permissionDenied, "SOURCE_UNREADABLE",
        "kithd may not read '\(path)'. Give its user the right to read and enter it. The contacts stay as they are.",
        details: ["path": path])
    case ENOTDIR:
      Failure(
        .failedPrecondition, "SOURCE_NOT_A_FOLDER",
        "'\(path)' is not a folder, or its parent is not. The contacts stay as they are.",
        details: ["path": path])
    case let code:
      Failure(
        .unavailable, "SOURCE_UNAVAILABLE",
        "'\(path)' cannot be read: \(Self.text(code)). The contacts stay as they are; the next pass retries.",
        details: ["path": path, "errno": "\(code)"])
    }
  }

  static func notAFile(_ path: String) -> Failure {
    Failure(
      .failedPrecondition, "SOURCE_NOT_A_FILE", "'\(path)' is not an ordinary file. Add a folder with --vdir.",
      details: ["path": path])
  }

  static func withoutCards(_ path: String) -> Failure {
    Failure(
      .unavailable, "SOURCE_UNAVAILABLE",
      "'\(path)' holds no card. It may be half written or of another format. The contacts stay as they are.",
      details: ["path": path])
  }

  static func changing(_ path: String) -> Failure {
    Failure(
      .unavailable, "SOURCE_CHANGING", "'\(path)' is being written. The next pass reads it.",
      retryAfterMilliseconds: 2000, details: ["path": path])
  }

  static func tooLarge(_ path: String, _ limit: String) -> Failure {
    Failure(.resourceExhausted, "SOURCE_TOO_LARGE", "'\(path)' exceeds the limit of \(limit).", details: ["path": path])
  }

  static let kindMissing = Failure.invalid(field: "kind", "name a folder (vdir), a file (vcf) or an account (carddav).")

  private static func text(_ code: Int32) -> String {
    // `strerror` gives a text that lives at least until the next call on this thread.
    unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
  }
}
