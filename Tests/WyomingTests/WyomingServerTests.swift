import Bus
import Foundation
import KithMessages
import TestKit
import Testing

@testable import Wyoming

@Suite struct WyomingServerTests {
  private func events(_ text: String, pieces: Int = 1) throws -> [WyomingEvent] {
    var reader = WyomingEvent.Decoder(limit: 64 << 10)
    var events: [WyomingEvent] = []
    let bytes = Array(text.utf8)
    for start in stride(from: 0, to: bytes.count, by: max(1, bytes.count / pieces)) {
      reader.append(bytes[start..<min(bytes.count, start + max(1, bytes.count / pieces))])
      while let event = try reader.next() { events.append(event) }
    }
    return events
  }

  @Test(arguments: [1, 3, 1000])
  func `messages are read whole, however they are cut`(pieces: Int) throws {
    let data = #"{"text": "薬を飲みました", "language": "ja", "context": {"conversation_id": "01J", "x": 1}}"#
    let text =
      #"{"type": "describe", "version": "1.7.2"}"# + "\n"
      + #"{"type": "transcript", "data": {"text": "no"}, "data_length": "#
      + "\(data.utf8.count), \"payload_length\": 3}\n\(data)abc" + #"{"type": "ping"}"# + "\n"
    let sentence = WyomingEvent(
      type: "transcript",
      data: WyomingEvent.Values(
        text: "薬を飲みました", language: "ja", context: WyomingEvent.Context(conversationID: "01J")),
      payload: Array("abc".utf8))
    #expect(
      try self.events(text, pieces: pieces) == [WyomingEvent(type: "describe"), sentence, WyomingEvent(type: "ping")])
  }

  private static let garbage = [
    "GET / HTTP/1.1\r\n", "{}\n", "[]\n", "\n", "null\n", "{\"type\": 5}\n", "{\"type\": \"x\", \"data_length\": -1}\n",
    "{\"type\": \"x\", \"data_length\": 65537}\n", "{\"type\": \"x\", \"payload_length\": 65537}\n",
    "{\"type\": \"x\", \"data_length\": 9223372036854775807, \"payload_length\": 9223372036854775807}\n",
    "{\"type\": \"x\", \"data_length\": 2}\n[]", "{\"type\": \"x\", \"data_length\": 1e99}\n", "\u{1F}\u{8B}\n",
    String(repeating: "x", count: 70_000), "{\"type\": \"" + String(repeating: "x", count: 70_000) + "\"}\n",
  ]

  @Test(arguments: Self.garbage)
  func `what is no message is a fault`(text: String) {
    #expect(throws: WyomingEvent.Decoder.Fault.self) { _ = try self.events(text) }
  }

  @Test func `what is sent can be read`() throws {
    let event = WyomingEvent(
      type: "handled",
      data: WyomingEvent.Values(text: "記録しました \"x\"\n", context: WyomingEvent.Context(conversationID: "01J")))
    #expect(try self.events(String(decoding: event.encoded(), as: UTF8.self)) == [event])
  }

  @Test(
    arguments: [
      ("127.0.0.1", [], "127.0.0.1:10700"), ("127.0.0.1:0", [], "127.0.0.1:0"), ("[::1]:5", [], "[::1]:5"),
      ("::1", [], "[::1]:10700"),
      ("192.168.1.10", ["192.168.1.5"], "192.168.1.10:10700"), ("0.0.0.0:10700", ["192.168.1.0/24"], "0.0.0.0:10700"),
    ] as [(String, [String], String)])
  func `an address has a port`(text: String, peers: [String], written: String) throws {
    #expect(try WyomingAddress(text, from: peers).description == written)
  }

  @Test(
    arguments: [
      ("0.0.0.0", [], "wyoming-from"), ("192.168.1.10", [], "wyoming-from"), ("::", [], "wyoming-from"),
      ("192.168.1.10", ["home"], "wyoming-from"), ("localhost", [], "wyoming"), ("127.0.0.1:70000", [], "wyoming"),
      ("", [], "wyoming"),
      ("127.0.0.1:x", [], "wyoming"), ("*", ["10.0.0.1"], "wyoming"),
    ] as [(String, [String], String)])
  func `an address that others reach needs their names`(text: String, peers: [String], field: String) throws {
    let failure = try #require(throws: Failure.self) { _ = try WyomingAddress(text, from: peers) }
    #expect(failure.status.details[field] != nil || failure.message.contains(field), "\(failure)")
  }

  @Test func `only those that are named, and this machine, may connect`() throws {
    let address = try WyomingAddress("192.168.1.10", from: ["192.168.1.5", "fd00::/8"])
    for peer in ["192.168.1.5", "fd00::17", "127.0.0.1", "::1", "::ffff:192.168.1.5"] { #expect(address.admits(peer)) }
    for peer in ["192.168.1.6", "10.0.0.1", "fe80::1", ""] { #expect(!address.admits(peer)) }
  }
}
