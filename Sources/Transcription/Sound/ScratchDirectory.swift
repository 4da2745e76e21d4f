internal import Foundation
internal import Glibc

/// A folder for one recording, for its owner alone, that goes with this object: no sound stays behind.
final class ScratchDirectory: Sendable {
  /// Where it is.
  let path: String

  /// Makes an empty folder with a random name.
  init(in parent: String) throws(SoundFault) {
    var template = Array("\(parent)/XXXXXX\0".utf8CString.dropLast())
    // The array ends with a zero and has the six letters that are replaced.
    guard unsafe mkdtemp(&template) != nil else {
      throw .storage("no folder can be made in \(parent)")
    }
    self.path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { try? FileManager.default.removeItem(atPath: self.path) }

  /// The path of something in it.
  func file(_ name: String) -> String { "\(self.path)/\(name)" }

  /// Makes an empty folder in it.
  func folder(_ name: String) throws(SoundFault) -> String {
    let path = self.file(name)
    // The string outlives the call.
    guard unsafe mkdir(path, 0o700) == 0 else { throw .storage("no folder can be made in \(self.path)") }
    return path
  }
}

/// The folder in which all scratch directories are made.
actor ScratchSpace {
  private let path: String
  private var isSwept = false

  init(path: String) { self.path = path }

  /// Makes an empty folder. The first time, what a process that was killed has left is removed.
  func make() throws(SoundFault) -> ScratchDirectory {
    if !self.isSwept {
      let files = FileManager.default
      for name in (try? files.contentsOfDirectory(atPath: self.path)) ?? [] {
        try? files.removeItem(atPath: "\(self.path)/\(name)")
      }
      do {
        try files.createDirectory(
          atPath: self.path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      } catch {
        throw .storage("the folder \(self.path) cannot be made")
      }
      self.isSwept = true
    }
    return try ScratchDirectory(in: self.path)
  }
}
