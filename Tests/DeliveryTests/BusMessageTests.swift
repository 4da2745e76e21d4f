import TestKit
import Testing

@testable import Delivery

@Suite struct BusMessageTests {
  static let hello = BusMessage.Call(
    destination: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus",
    member: "Hello")

  /// An answer of a bus, by hand: D-Bus Specification, "Message Protocol".
  static func answer(kind: UInt8, to serial: UInt8, error: String = "", body: [UInt8] = []) -> [UInt8] {
    var fields: [UInt8] = [5, 1, UInt8(ascii: "u"), 0, serial, 0, 0, 0]
    if !error.isEmpty {
      fields += [4, 1, UInt8(ascii: "s"), 0, UInt8(error.utf8.count), 0, 0, 0] + Array(error.utf8) + [0]
    }
    let head: [UInt8] = [
      UInt8(ascii: "l"), kind, 1, 1, UInt8(body.count), 0, 0, 0, 7, 0, 0, 0, UInt8(fields.count), 0, 0, 0,
    ]
    let padding = (8 - fields.count % 8) % 8
    return head + fields + [UInt8](repeating: 0, count: padding) + body
  }

  @Test func `a call has these bytes`() {
    var expected: [UInt8] = [UInt8(ascii: "l"), 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 109, 0, 0, 0]
    for (field, type, text) in [
      (1, "o", "/org/freedesktop/DBus"), (2, "s", "org.freedesktop.DBus"), (3, "s", "Hello"),
      (6, "s", "org.freedesktop.DBus"),
    ] as [(UInt8, String, String)] {
      while !expected.count.isMultiple(of: 8) { expected.append(0) }
      expected += [field, 1] + Array(type.utf8) + [0, UInt8(text.utf8.count), 0, 0, 0] + Array(text.utf8) + [0]
    }
    #expect(expected.count == 16 + 109)
    while !expected.count.isMultiple(of: 8) { expected.append(0) }
    #expect(Self.hello.bytes(serial: 1) == expected)
  }

  @Test func `what comes is taken message by message`() throws {
    var input =
      Self.answer(kind: 2, to: 1, body: [1, 2, 3]) + Self.answer(kind: 4, to: 0)
      + Self.answer(kind: 3, to: 2, error: "org.example.No")
    #expect(try BusMessage.take(from: &input) == BusMessage(kind: .answer, answers: 1))
    #expect(try BusMessage.take(from: &input) == BusMessage(kind: .signal))
    var part = Array(input.dropLast())
    #expect(try BusMessage.take(from: &part) == nil)
    #expect(try BusMessage.take(from: &input) == BusMessage(kind: .failure, answers: 2, error: "org.example.No"))
    #expect(input.isEmpty)
  }

  @Test func `garbage is refused or waited for, whatever it is`() {
    var refused = 0
    for seed in 0..<2000 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      var bytes = Self.answer(kind: 3, to: 2, error: "org.example.No", body: [1, 2, 3])
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
      }
      do { _ = try BusMessage.take(from: &bytes) } catch { refused += 1 }
    }
    #expect(refused > 100)
  }

  @Test func `text that cannot be sent loses what ends it`() {
    var writer = BusWriter()
    writer.string("a\0b")
    #expect(writer.bytes == [2, 0, 0, 0, UInt8(ascii: "a"), UInt8(ascii: "b"), 0])
  }

  @Test func `addresses are those of sockets`() {
    let addresses = BusAddress.read(
      "tcp:host=localhost,port=1;unix:path=/run/a%20b,guid=0;unix:abstract=/tmp/x;unix:runtime=yes;unix:path=%4;autolaunch:",
      runtimeDirectory: "/run/user/1")
    #expect(addresses == [.path("/run/a b"), .abstract("/tmp/x"), .path("/run/user/1/bus")])
    #expect(addresses[0].name == Array("/run/a b".utf8) + [0])
    #expect(addresses[1].name == [0] + Array("/tmp/x".utf8))
    #expect(BusAddress.path(String(repeating: "x", count: 108)).name == nil)
  }
}
