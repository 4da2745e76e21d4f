import Bus
import Foundation
import KithMessages
import TestKit
import Testing

@testable import Hub

struct ServerKeysTests {
  @Test("keys survive their file, which nobody else may read")
  func file() throws {
    let directory = try TemporaryDirectory()
    #expect(try ServerKeys.load(directory.path) == nil)
    var keys = try ServerKeys()
    try keys.rotate(until: 100)
    try keys.keep(directory.path)
    #expect(try ServerKeys.load(directory.path) == keys)
    let attributes = try FileManager.default.attributesOfItem(atPath: directory.file("server.key"))
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
  }

  @Test(
    "a file that is none is refused, not replaced", arguments: ["secret\n", "secret abc\n", "key x\n", "next a b\n"])
  func damaged(text: String) throws {
    let directory = try TemporaryDirectory()
    try text.write(toFile: directory.file("server.key"), atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: directory.file("server.key"))
    #expect(throws: Failure.self) { try ServerKeys.load(directory.path) }
    #expect(try String(contentsOfFile: directory.file("server.key"), encoding: .utf8) == text)
  }

  @Test("the key that follows takes over when the overlap is over, and there is only one at a time")
  func rotation() throws {
    var keys = try ServerKeys()
    let first = keys.current
    try keys.rotate(until: 100)
    let next = try #require(keys.next)
    try keys.rotate(until: 500)
    #expect(keys.next == next)
    #expect(keys.settle(99) == false)
    #expect(keys.current == first)
    #expect(keys.settle(100) == true)
    #expect(keys.current == next.pair && keys.next == nil)
    #expect(keys.settle(1000) == false)
  }

  @Test("an address is read as people write it")
  func addresses() throws {
    func read(_ text: String) -> [String]? { TCPSettings(text: text).map { [$0.address, "\($0.port)"] } }
    #expect(read("192.168.1.10") == ["192.168.1.10", "7750"])
    #expect(read("192.168.1.10:9000") == ["192.168.1.10", "9000"])
    #expect(read("*") == ["*", "7750"])
    #expect(read("fe80::1") == ["fe80::1", "7750"])
    #expect(read("[fe80::1]:9000") == ["fe80::1", "9000"])
    for text in ["", ":7750", "host:0", "host:65535", "host:x", "a b", "tcp://host", "1.2.3.*"] {
      #expect(read(text) == nil, "\(text)")
    }
  }
}
