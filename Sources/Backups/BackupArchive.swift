internal import Bus
internal import Digest
internal import EventLoop
internal import Foundation
internal import Glibc
internal import KithMessages
internal import Storage

/// A backup in one file: a tar(1) archive of the store and what belongs to it, encrypted if there is a cipher.
///
/// Anybody who has the key opens it with the same two programs: docs/operations.md.
struct BackupArchive: Sendable {
  private static let manifest = "manifest.json"

  /// The file of the archive.
  let path: String
  /// Nil = the archive is not encrypted.
  let cipher: ArchiveCipher?
  /// A directory on a disk, in which a directory is made for the work and removed after it.
  let scratch: String

  /// What the archive says of itself.
  struct Manifest: Codable, Sendable {
    var version: String
    /// The name that the archive was made with.
    var name: String
    /// The SHA-256 of each file, by its path.
    var files: [String: String]
  }

  /// Writes the archive of a directory.
  ///
  /// What is written for public keys is also written for a key of its own in the scratch directory, by which it is read again as long
  /// as that directory is there.
  ///
  /// - Throws: `BACKUP_FAILED`, `DISK_FULL`, `SECRET_UNREADABLE`. What was written of it is removed.
  func write(_ directory: String, version: String, name: String) async throws(Failure) {
    do {
      try self.checkCipher()
      if case .recipients? = self.cipher { try await self.run("/usr/bin/age-keygen", ["-o", self.checkKey]) }
      let manifest = Manifest(version: version, name: name, files: try Self.digests(of: directory))
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
      try encoder.encode(manifest).write(to: URL(fileURLWithPath: "\(directory)/\(Self.manifest)"))
      guard FileManager.default.createFile(atPath: self.path, contents: nil, attributes: [.posixPermissions: 0o600])
      else {
        throw Self.failure(
          "the file cannot be written. Check the folder and its permissions.", self.path, cause: .notWritten)
      }
      try await self.tar(["--create", "--file", self.path, "--directory", directory, "."])
      // The file is as durable as the store before it counts.
      try DiskTree.synchronize(one: self.path)
    } catch {
      unlink(self.path)
      throw Self.failure(error, self.path)
    }
  }

  /// Unpacks the archive into an empty directory, and checks that each file is as it was when the backup was made, and the store sound.
  ///
  /// - Throws: `DATA_LOSS/STORE_DAMAGED`, `BACKUP_FAILED`, `SECRET_UNREADABLE`.
  func unpack(into directory: String) async throws(Failure) {
    do {
      try self.checkCipher()
      try await self.tar(["--extract", "--file", self.path, "--directory", directory, "--no-same-owner"])
      let text = try Data(contentsOf: URL(fileURLWithPath: "\(directory)/\(Self.manifest)"))
      let manifest = try JSONDecoder().decode(Manifest.self, from: text)
      var found = try Self.digests(of: directory)
      found[Self.manifest] = nil
      guard found == manifest.files, found[BackupContent.store] != nil else {
        throw Failure(
          .dataLoss, "STORE_DAMAGED",
          "\(self.path) is damaged: its files are not those that were put into it. Take another backup.")
      }
      try FileManager.default.removeItem(atPath: "\(directory)/\(Self.manifest)")
      // Anybody can make an archive whose manifest fits.
      for name in try FileManager.default.contentsOfDirectory(atPath: directory)
      where !BackupContent.names.contains(name) {
        throw Failure(
          .dataLoss, "STORE_DAMAGED",
          "\(self.path) has \(name), which is in no backup of Kith. Take another backup.")
      }
      try await StoreCopy.check("\(directory)/\(BackupContent.store)")
    } catch {
      throw Self.failure(error, self.path)
    }
  }

  private func checkCipher() throws(Failure) {
    guard let cipher, let fault = try cipher.fault() else { return }
    throw Self.failure(fault, self.path, cause: .keyFile, said: cipher.file)
  }

  private var checkKey: String { "\(self.scratch)/check.key" }

  /// Runs tar, which has another program encrypt and decrypt.
  private func tar(_ arguments: [String]) async throws {
    var encryption: [String] = []
    if let cipher {
      encryption = ["--use-compress-program", cipher.program(writes: arguments.first == "--create")]
    }
    try await self.run("/usr/bin/tar", arguments + encryption)
  }

  /// Runs a program in a directory that has the cipher's files by their names, because tar splits the text at spaces.
  private func run(_ path: String, _ arguments: [String]) async throws {
    let work = "\(self.scratch)/programs"
    try FileManager.default.createDirectory(
      atPath: work, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    defer { try? FileManager.default.removeItem(atPath: work) }
    for file in self.cipher?.files(checkKey: self.checkKey) ?? [] {
      try FileManager.default.createSymbolicLink(atPath: "\(work)/\(file.name)", withDestinationPath: file.path)
    }
    var environment = ChildProcess.plainEnvironment
    environment["LC_ALL"] = "C"
    let program = ChildProcess(
      path, arguments, environment: environment, directory: work,
      limits: ChildProcess.Limits(time: .seconds(3000), memory: nil, fileSize: nil, isOutputCut: true))
    let name = path.split(separator: "/").last ?? ""
    let outcome: ChildProcess.Outcome
    do throws(ChildProcess.Fault) {
      outcome = try await program.run()
    } catch .cancelled {
      throw CancellationError()
    } catch {
      throw Self.failure(
        "\(name) could not be run to its end (\(error)). Check that it is installed.", self.path, cause: .program,
        said: "\(name)")
    }
    guard outcome.ending == .exited(0) else {
      let words = outcome.complaint
      guard !words.contains("No space left on device") else {
        throw Failure(.resourceExhausted, "DISK_FULL", "There is no room for \(self.path). Make room on that disk.")
      }
      throw Self.failure(
        "\(name) said: \(words).\(self.cipher.map { " " + $0.advice } ?? "")", self.path,
        cause: self.cipher == nil ? .archive : .cipher, said: words)
    }
  }

  /// The SHA-256 of each file of a directory, by its path there.
  private static func digests(of directory: String) throws -> [String: String] {
    var found: [String: String] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: directory) {
      let whole = "\(directory)/\(path)"
      let kind = try FileManager.default.attributesOfItem(atPath: whole)[.type] as? FileAttributeType
      if kind == .typeDirectory { continue }
      guard kind == .typeRegular else { throw Self.failure("\(path) is neither a file nor a directory.", directory) }
      found[path] = try self.digest(of: whole)
    }
    return found
  }

  /// The SHA-256 of a file, in hexadecimal digits. It ends early if the task is cancelled.
  static func digest(of path: String) throws -> String {
    let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
    defer { try? file.close() }
    var digest = SHA256()
    while let part = try file.read(upToCount: 1 << 20), !part.isEmpty {
      try Task.checkCancellation()
      digest.update([UInt8](part))
    }
    return Hex.encode(digest.finish())
  }

  /// What went wrong with an archive, as a failure.
  static func failure(_ error: any Error, _ path: String) -> Failure {
    if let failure = error as? Failure { return failure }
    if error is CancellationError { return .cancelled }
    let beneath = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError ?? error as NSError
    let code = beneath.domain == NSPOSIXErrorDomain ? beneath.code : 0
    if (error as? CocoaError)?.code == .fileWriteOutOfSpace || [Int(ENOSPC), Int(EDQUOT)].contains(code) {
      return Failure(.resourceExhausted, "DISK_FULL", "There is no room for \(path). Make room on that disk.")
    }
    let reason = code == 0 ? error.localizedDescription : String(cString: strerror(Int32(code)))
    return self.failure("\(reason). Check the folder and its permissions.", path, said: reason)
  }

  /// The failure `BACKUP_FAILED`.
  ///
  /// - Parameters:
  ///   - why: What went wrong, and what to do.
  ///   - cause: The same for the sentence in another language.
  ///   - said: What a program or the system said, or the file that is meant.
  static func failure(_ why: String, _ path: String, cause: Cause = .unknown, said: String = "") -> Failure {
    Failure(
      .internal, "BACKUP_FAILED", "No backup came of \(path): \(why)",
      details: ["path": path, "cause": cause.rawValue, "said": said])
  }

  /// Why there is no backup, as the details of `BACKUP_FAILED` have it.
  enum Cause: String {
    case folderMissing = "folder_missing"
    /// None of the earlier backups is in the folder.
    case otherFolder = "other_folder"
    case notWritten = "not_written"
    case keyFile = "key_file"
    case program, archive, cipher
    /// It is encrypted for a key that was not named.
    case identityMissing = "identity_missing"
    case unknown
  }
}
