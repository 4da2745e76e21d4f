import Bus
import Foundation
import Testing

@testable import Backups

@Suite struct StateExchangeTests {
  private let files = FileManager.default

  /// A state directory with a store and two recordings, one of them not yet whole, and beside it what comes.
  private func inDirectory(
    bringing brought: [String: String], _ body: (_ content: String, _ state: String) throws -> Void
  ) throws {
    let directory = NSTemporaryDirectory() + "kith-exchange-" + UUIDv7.make().text
    defer { try? self.files.removeItem(atPath: directory) }
    let (content, state) = ("\(directory)/state/scratch", "\(directory)/state")
    for path in ["\(state)/audio", content] {
      try self.files.createDirectory(atPath: path, withIntermediateDirectories: true)
    }
    let before = ["kith.db": "before", "kith.db-wal": "log", "audio/one": "sound", "audio/two.part": "half"]
    for (root, written) in [(state, before), (content, brought)] {
      for (name, text) in written {
        let path = "\(root)/\(name)"
        let parent = path.split(separator: "/").dropLast().joined(separator: "/")
        try self.files.createDirectory(atPath: "/\(parent)", withIntermediateDirectories: true)
        try text.write(toFile: path, atomically: true, encoding: .utf8)
      }
    }
    try body(content, state)
  }

  private func text(_ path: String) -> String? { try? String(contentsOfFile: path, encoding: .utf8) }

  @Test func `the recordings of a store that is set aside are set aside with it`() throws {
    try self.inDirectory(bringing: ["kith.db": "backup"]) { content, state in
      let exchange = try StateExchange(of: content, into: state, at: .now)
      try exchange.carryOut(from: content, in: state)
      let aside = "\(state)/\(exchange.aside)"
      #expect(self.text("\(state)/kith.db") == "backup" && self.text("\(aside)/kith.db") == "before")
      #expect(self.files.fileExists(atPath: "\(state)/kith.db-wal") == false)
      // A database alone may name some of them.
      for root in [state, aside] {
        #expect(self.text("\(root)/audio/one") == "sound" && self.text("\(root)/audio/two.part") == "half")
      }
      // What the hub removes or writes from now on is not that of before.
      try self.files.removeItem(atPath: "\(state)/audio/one")
      let handle = try #require(FileHandle(forWritingAtPath: "\(state)/audio/two.part"))
      try handle.seekToEnd()
      try handle.write(contentsOf: Array("whole".utf8))
      try handle.close()
      #expect(self.text("\(aside)/audio/one") == "sound" && self.text("\(aside)/audio/two.part") == "half")
      try exchange.undo(in: state)
      #expect(self.text("\(state)/kith.db") == "before" && self.text("\(state)/audio/one") == "sound")
      #expect(self.text("\(state)/audio/two.part") == "half" && !self.files.fileExists(atPath: aside))
    }
  }

  @Test func `an archive brings its own recordings`() throws {
    try self.inDirectory(bringing: ["kith.db": "backup", "audio/three": "other"]) { content, state in
      let exchange = try StateExchange(of: content, into: state, at: .now)
      try exchange.carryOut(from: content, in: state)
      #expect(try self.files.contentsOfDirectory(atPath: "\(state)/audio") == ["three"])
      #expect(self.text("\(state)/\(exchange.aside)/audio/one") == "sound")
    }
  }
}
