internal import ArgumentParser
internal import Bus
internal import Glibc
internal import KithMessages

/// Where a command reads a file from.
enum InputFile {
  /// The path of standard input, as for other programs.
  static let standardInput = "-"

  /// The help of an option that takes the file of a secret.
  static func secretHelp(_ kind: String) -> ArgumentHelp {
    "A file with the \(kind), readable by its owner only, or - for standard input. kithd on another machine is sent the \(kind) itself."
  }

  /// Opens a path for reading; the caller closes the descriptor.
  ///
  /// - Throws: `NOT_FOUND/FILE_UNREADABLE`.
  static func open(_ path: String) throws(Failure) -> Int32 {
    let isStandard = path == Self.standardInput || path == "/dev/stdin"
    let descriptor =
      isStandard ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { throw Self.unreadable(path) }
    return descriptor
  }

  /// Reads standard input, up to more than the longest secret; nil if it cannot be read.
  static func readStandardInput(upTo limit: Int = 64 << 10) -> [UInt8]? {
    var bytes: [UInt8] = []
    while bytes.count <= limit {
      guard let piece = try? Self.piece(of: STDIN_FILENO, named: Self.standardInput, limit) else { return nil }
      guard !piece.isEmpty else { break }
      bytes += piece
    }
    return bytes
  }

  /// Reads what is available, waiting for the first byte; empty at the end.
  ///
  /// - Throws: `NOT_FOUND/FILE_UNREADABLE`.
  static func piece(of descriptor: Int32, named path: String, _ count: Int) throws(Failure) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    while true {
      let got = read(descriptor, &bytes, count)
      if got >= 0 { return Array(bytes[..<got]) }
      if errno == EAGAIN {
        var item = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        poll(&item, 1, -1)
      } else if errno != EINTR {
        throw Self.unreadable(path)
      }
    }
  }

  /// The failure for a file that cannot be read, with the reason from `errno`.
  static func unreadable(_ path: String) -> Failure {
    let code = errno
    let reason = String(cString: strerror(code))
    let name = path == Self.standardInput ? "Standard input" : path
    return Failure(
      .notFound, "FILE_UNREADABLE", "\(name) cannot be read: \(reason). Check the path and its permissions.",
      details: ["path": path, "errno": "\(code)"])
  }
}

/// An unnamed file, deleted with its descriptor: for bytes that are read more than once.
struct TemporaryFile: ~Copyable {
  let descriptor: Int32

  /// Makes an empty file in `TMPDIR`, else in /tmp.
  ///
  /// - Throws: `FAILED_PRECONDITION/FILE_UNWRITABLE`.
  init() throws(Failure) {
    let folder = RuntimeLocations.variable("TMPDIR").flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
    var path = Array("\(folder)/kith-XXXXXX".utf8CString)
    self.descriptor = mkstemp(&path)
    guard self.descriptor >= 0 else { throw Self.unwritable(folder) }
    _ = fcntl(self.descriptor, F_SETFD, FD_CLOEXEC)
    unlink(path)
  }

  deinit { close(self.descriptor) }

  /// The file, to be uploaded.
  func upload(_ mediaType: String) -> UploadFile {
    UploadFile(fcntl(self.descriptor, F_DUPFD_CLOEXEC, 0), named: "the recording", mediaType: mediaType)
  }

  /// Adds bytes.
  func write(_ bytes: [UInt8]) throws(Failure) {
    guard Console.write(bytes, to: self.descriptor) else { throw Self.unwritable("The folder for temporary files") }
  }

  private static func unwritable(_ what: String) -> Failure {
    let code = errno
    let reason = String(cString: strerror(code))
    return Failure(
      .failedPrecondition, "FILE_UNWRITABLE",
      "\(what) cannot be written: \(reason). Check its permissions and the space on the disk, or set TMPDIR.",
      details: ["path": "TMPDIR", "errno": "\(code)"])
  }
}
