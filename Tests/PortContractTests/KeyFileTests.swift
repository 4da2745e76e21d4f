import Bus
import Foundation
import KithClient
import KithMessages
import TestKit
import Testing
import ZeroMQ

struct KeyFileTests {
  private static let server = String(repeating: "0", count: 40)

  @Test("A key survives its file, which nobody else may read")
  func file() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("key")
    var made = try KeyFile.make(at: path)
    try made.trust([Self.server])
    let read = try KeyFile(path: path)
    #expect(read.publicKey == made.publicKey && read.serverKeys == [Self.server])
    #expect(read.fingerprint.count == 16 && read.fingerprint == made.fingerprint)
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    #expect(!"\(read)".contains(try String(contentsOfFile: path, encoding: .utf8).split(separator: " ")[1].prefix(40)))
  }

  @Test("What is there is never replaced by a new key")
  func existing() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("key")
    for text in ["", "something else"] {
      try text.write(toFile: path, atomically: true, encoding: .utf8)
      let failure = #expect(throws: Failure.self) { try KeyFile.make(at: path) }
      #expect(failure?.code == .alreadyExists)
      #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
    }
  }

  @Test("A server key that is none makes no file")
  func wrongServerKey() throws {
    let directory = try TemporaryDirectory()
    #expect(throws: Failure.self) { try KeyFile.make(at: directory.file("key"), serverKey: "abc") }
    #expect(!FileManager.default.fileExists(atPath: directory.file("key")))
  }

  @Test(
    "A file that is no key says so", arguments: ["", "secret\n", "secret abc\n", "public \(server)\n", "hello world\n"])
  func damaged(text: String) throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("key")
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    let failure = #expect(throws: Failure.self) { try KeyFile(path: path) }
    #expect(failure?.reason == "SECRET_UNREADABLE")
  }

  @Test("A file that others may read is not used")
  func open() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("key")
    _ = try KeyFile.make(at: path)
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    let failure = #expect(throws: Failure.self) { try KeyFile(path: path) }
    #expect(failure?.message.contains("chmod 600") == true)
  }

  @Test("The address of a hub is read as people write it")
  func hubs() throws {
    #expect(try RemoteHub("tcp://hub.home").control == "tcp://hub.home:7750")
    #expect(try RemoteHub("tcp://hub.home").events == "tcp://hub.home:7751")
    #expect(try RemoteHub("tcp://10.0.0.1:9000").events == "tcp://10.0.0.1:9001")
    #expect(try RemoteHub("tcp://[fe80::1]").control == "tcp://[fe80::1]:7750")
    #expect(try RemoteHub("tcp://[fe80::1]:9000").control == "tcp://[fe80::1]:9000")
    for text in [
      "", "hub.home", "tcp://", "tcp://:7750", "tcp://a:b", "tcp://a:0", "tcp://a:65534", "tcp://fe80::1", "tcp://a b",
    ] {
      let failure = #expect(throws: Failure.self) { try RemoteHub(text) }
      #expect(failure?.reason == "FIELD_INVALID", "\(text)")
    }
  }
}
