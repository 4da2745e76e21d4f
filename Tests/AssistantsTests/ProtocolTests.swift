import Foundation
import KithMessages
import Testing

@testable import Assistants

@Suite("The Model Context Protocol") struct ProtocolTests {
  private let household = HouseholdPort()
  private static let meta =
    #""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#

  /// Each message of the file of golden transcripts, with its answer: nil if there is none.
  private static func transcript() throws -> [(asked: String, answered: String?)] {
    let lines = try String(contentsOf: self.file, encoding: .utf8).split(separator: "\n").map(String.init)
    var pairs: [(asked: String, answered: String?)] = []
    for line in lines where !line.hasPrefix("#") {
      if line.hasPrefix("> ") { pairs.append((String(line.dropFirst(2)), nil)) }
      if line.hasPrefix("< ") { pairs[pairs.count - 1].answered = String(line.dropFirst(2)) }
    }
    return pairs
  }

  private static let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "vectors/assistants.txt")

  private func answer(to asked: String) async -> String? {
    let role: Role = asked.contains("\"viewer\"") ? .viewer : .recorder
    return await self.household.server(role).answer(Array(asked.utf8)).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func everyAnswerIsTheGoldenOne() async throws {
    let pairs = try Self.transcript()
    #expect(pairs.count >= 25)
    for (asked, expected) in pairs {
      let answer = await self.answer(to: asked)
      #expect(answer == expected, "\(asked)")
    }
  }

  /// Writes the answers of new messages into the file; those that it has stay.
  @Test(.enabled(if: ProcessInfo.processInfo.environment["KITH_ADD_VECTORS"] == "1"))
  func answersAreAdded() async throws {
    var lines: [String] = []
    let old = try String(contentsOf: Self.file, encoding: .utf8).split(
      separator: "\n", omittingEmptySubsequences: false)
    for (line, next) in zip(old, old.dropFirst() + [""]) {
      lines.append(String(line))
      guard line.hasPrefix("> "), !next.hasPrefix("< "), let answer = await self.answer(to: String(line.dropFirst(2)))
      else { continue }
      lines.append("< \(answer)")
    }
    try lines.joined(separator: "\n").write(to: Self.file, atomically: true, encoding: .utf8)
  }

  private func error(_ message: String) async throws -> (code: String, id: JSON) {
    let answer = try JSON(bytes: try #require(await self.household.server(.viewer).answer(Array(message.utf8))))
    guard case .number(let code)? = answer["error"]?["code"] else { return ("0", .null) }
    return (code, try #require(answer["id"]))
  }

  @Test(arguments: [
    ("", "-32700", "null"), ("{", "-32700", "null"), ("\u{0}", "-32700", "null"), ("[]", "-32600", "null"),
    (#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, "-32600", "null"), ("1", "-32600", "null"),
    ("null", "-32600", "null"),
    (#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, "-32600", "null"),
    (#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, "-32600", "null"), (#"{"id":7,"method":"ping"}"#, "-32600", "7"),
    (#"{"jsonrpc":"1.0","id":"x","method":"ping"}"#, "-32600", "\"x\""), (#"{"jsonrpc":"2.0","id":1}"#, "-32600", "1"),
    (#"{"jsonrpc":"2.0","id":1,"method":5}"#, "-32600", "1"),
    (#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#, "-32602", "1"),
    (#"{"jsonrpc":"2.0","id":1,"method":"nothing"}"#, "-32601", "1"),
    (#"{"jsonrpc":"2.0","id":1,"method":"server/discover"}"#, "-32601", "1"),
    (#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#, "-32602", "1"),
    (#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"care_delete"}}"#, "-32602", "1"),
    (#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"care_list","arguments":[]}}"#, "-32602", "1"),
  ]) func whatIsWrongIsSaid(_ message: String, _ code: String, _ id: String) async throws {
    let (found, of) = try await self.error(message)
    #expect(found == code && of.line == id)
  }

  @Test(arguments: [
    #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}"#,
    #"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"care_log","arguments":{"category":"meal"}}}"#,
    #"{"jsonrpc":"2.0","id":1,"result":{}}"#, #"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}"#,
  ]) func whatNobodyWaitsForHasNoAnswerAndDoesNothing(_ message: String) async {
    #expect(await self.household.server(.recorder).answer(Array(message.utf8)) == nil)
    #expect(self.household.commands.isEmpty)
  }

  // MARK: - HTTP

  private func status(_ method: String, _ parameters: String, _ fields: RoutingFields) async -> (Int, String) {
    let message = #"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":{\#(parameters)}}"#
    let answer = await self.household.server(.viewer).answer(Array(message.utf8), fields)
    let json = answer.body.flatMap { try? JSON(bytes: $0) }
    return (answer.status, json?["error"]?["code"]?.line ?? "")
  }

  @Test func fieldsOfHTTPSayWhatTheMessageSays() async {
    let call = #""name":"care_list",\#(Self.meta)"#
    func fields(_ version: String?, _ method: String?, _ name: String?) -> RoutingFields {
      RoutingFields(version: version, method: method, name: name)
    }
    let version = "2026-07-28"
    #expect(await self.status("tools/call", call, fields(version, "tools/call", "care_list")) == (200, ""))
    #expect(
      await self.status("tools/call", call, fields(version, "tools/call", "=?base64?Y2FyZV9saXN0?=")) == (200, ""))
    for wrong in [
      fields(nil, "tools/call", "care_list"), fields("2025-11-25", "tools/call", "care_list"),
      fields(version, nil, "care_list"), fields(version, "tools/list", "care_list"), fields(version, "tools/call", nil),
      fields(version, "tools/call", "care_log"), fields(version, "tools/call", "=?base64?!?="),
    ] {
      #expect(await self.status("tools/call", call, wrong) == (400, "-32020"))
    }
    #expect(await self.status("ping", Self.meta, fields(version, "ping", nil)) == (404, "-32601"))
    #expect(await self.status("tools/list", "", fields(version, "tools/list", nil)) == (400, "-32602"))
    let other = Self.meta.replacing(version, with: "2030-01-01")
    #expect(await self.status("tools/list", other, fields("2030-01-01", "tools/list", nil)) == (400, "-32022"))
    #expect(await self.status("tools/list", other, fields(version, "tools/list", nil)) == (400, "-32020"))
  }

  @Test func theHandshakesRevisionsAreAnsweredAsBefore() async {
    let none = RoutingFields(version: nil, method: nil, name: nil)
    #expect(await self.status("tools/list", "", none) == (200, ""))
    #expect(
      await self.status("tools/list", "", RoutingFields(version: "2025-06-18", method: nil, name: nil)) == (200, ""))
    #expect(
      await self.status("tools/list", "", RoutingFields(version: "1999-01-01", method: nil, name: nil)) == (
        400, "-32022"
      ))
    // 404 would be the end of a session to such a client.
    #expect(await self.status("nothing", "", none) == (200, "-32601"))
    let server = self.household.server(.viewer)
    let note = await server.answer(Array(#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.utf8), none)
    #expect(note.status == 202 && note.body == nil)
    #expect(await server.answer(Array("{".utf8), none).status == 400)
  }
}
