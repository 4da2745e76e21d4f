internal import ArgumentParser
internal import Bus
internal import CLinux
internal import Glibc
internal import KithClient
internal import KithMessages

/// The output of a command: a file, or what else a path names.
///
/// A file appears whole or not at all. The bytes are written to an unnamed file. Once they are on disk it is linked as
/// `NAME.ID.part`, because a link cannot replace a file, and renamed at once. So an interrupted command leaves nothing, or between
/// these two calls the whole `.part`. On a file system without unnamed files the `.part` is written from the beginning, and SIGKILL
/// leaves it. Symbolic links are followed. A new file is readable by its owner only; a replaced one keeps its mode and owner. A pipe
/// or a device is written to directly. `-` is standard output.
struct OutputFile: ~Copyable {
  /// The help of an option that takes such a path.
  static let help: ArgumentHelp =
    "The file, or - for standard output. An existing file is replaced once the new one is whole."

  /// The path of standard output, as for other programs.
  static let standardOutput = "-"

  /// Whether the bytes go to standard output, where nothing else may be printed then.
  let isStandardOutput: Bool
  private let path: String
  private let descriptor: Int32
  /// Nil for a pipe, a device or an open descriptor.
  private let replacement: Replacement?

  private struct Replacement {
    let temporary: String
    let target: String
    let isNamed: Bool
  }

  /// Opens what a path names.
  ///
  /// - Throws: `FAILED_PRECONDITION/FILE_UNWRITABLE`, also for a folder and for a file that is protected from writing.
  init(path: String) throws(Failure) {
    var status = stat()
    let isThere = stat(path, &status) == 0
    let number = Self.descriptor(namedBy: path)
    self.isStandardOutput = number == STDOUT_FILENO
    self.path = path
    if let number {
      self.replacement = nil
      self.descriptor = fcntl(number, F_DUPFD_CLOEXEC, 0)
    } else if isThere, status.st_mode & S_IFMT != S_IFREG {
      self.replacement = nil
      self.descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY)
    } else {
      let target = Self.resolved(path)
      let (folder, name) = Self.split(target)
      let temporary = "\(folder)\(name.prefix(40)).\(UUIDv7.make().text).part"
      let mayReplace = !isThere || faccessat(AT_FDCWD, target, W_OK, AT_EACCESS) == 0
      let unnamed = mayReplace ? kith_unnamed_file(folder.isEmpty ? "." : folder) : -1
      self.replacement = Replacement(temporary: temporary, target: target, isNamed: unnamed < 0)
      self.descriptor =
        mayReplace && unnamed < 0 ? open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600) : unnamed
      if isThere, self.descriptor >= 0 {
        // Only root gives files away; the mode comes after it, since a new owner clears parts of it: chown(2).
        _ = fchown(self.descriptor, status.st_uid, status.st_gid)
        fchmod(self.descriptor, status.st_mode & 0o777)
      }
    }
    guard self.descriptor >= 0 else { throw Self.unwritable(path) }
  }

  deinit {
    close(self.descriptor)
    // Finds nothing if it was renamed.
    if let replacement { unlink(replacement.temporary) }
  }

  /// Adds bytes.
  func write(_ bytes: [UInt8]) throws(Failure) {
    guard Console.write(bytes, to: self.descriptor) else { throw Self.unwritable(self.path) }
  }

  /// Moves the file to its place once its bytes are on disk.
  consuming func commit() throws(Failure) {
    guard let replacement else { return }
    guard fsync(self.descriptor) == 0,
      replacement.isNamed || kith_name_file(self.descriptor, replacement.temporary) == 0,
      rename(replacement.temporary, replacement.target) == 0
    else {
      throw Self.unwritable(self.path)
    }
  }

  /// The descriptor of this process that a path names. Opening the path again would overwrite a file opened for append.
  private static func descriptor(namedBy path: String) -> Int32? {
    switch path {
    case Self.standardOutput, "/dev/stdout": return STDOUT_FILENO
    case "/dev/stderr": return STDERR_FILENO
    default:
      let folder = ["/dev/fd/", "/proc/self/fd/"].first { path.hasPrefix($0) }
      return folder.flatMap { Int32(path.dropFirst($0.count)) }
    }
  }

  /// The target of symbolic links, which need not exist. The system itself follows links to folders on the way.
  private static func resolved(_ path: String) -> String {
    var path = path
    var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
    // As many as the system follows: path_resolution(7).
    for _ in 0..<40 {
      let count = readlink(path, &buffer, buffer.count)
      guard count > 0 else { break }
      let target = String(decoding: buffer[..<count], as: UTF8.self)
      path = target.hasPrefix("/") ? target : Self.split(path).folder + target
    }
    return path
  }

  /// The folder with its slash, and the name in it.
  private static func split(_ path: String) -> (folder: String, name: Substring) {
    let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    return (String(path[..<start]), path[start...])
  }

  private static func unwritable(_ path: String) -> Failure { self.unwritable(path, errno) }

  /// The failure for a file that cannot be written.
  static func unwritable(_ path: String, _ code: Int32) -> Failure {
    let reason = String(cString: strerror(code))
    let name = path == Self.standardOutput ? "standard output" : path
    return Failure(
      .failedPrecondition, "FILE_UNWRITABLE",
      "\(name) cannot be written: \(reason). Check the directory, its permissions and the space on the disk.",
      details: ["path": path, "errno": "\(code)"])
  }
}

extension Session {
  /// Downloads a blob to a path, and prints its size.
  ///
  /// - Throws: `FAILED_PRECONDITION/BINARY_ON_TERMINAL` for bytes on a terminal that are no text.
  func save(_ blob: BlobRef, to path: String) async throws(Failure) {
    let file = try OutputFile(path: path)
    let printsReport = !file.isStandardOutput
    let isText = ["text/", "application/json"].contains { blob.mediaType.hasPrefix($0) }
    guard printsReport || isText || !self.console.isTerminal else {
      throw Failure(
        .failedPrecondition, "BINARY_ON_TERMINAL",
        "This is no text, so it is not written to a terminal. Name a file, or lead it to a program: | PROGRAM")
    }
    try await self.client.download(blob) { (piece) throws(Failure) in try file.write(piece) }
    try file.commit()
    if printsReport {
      try await self.show(blob, [self.written(blob.size, to: path)])
    }
  }
}
