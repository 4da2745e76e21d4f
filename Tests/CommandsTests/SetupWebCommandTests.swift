import ArgumentParser
import Bus
import EventLoop
import Foundation
import TestKit
import Testing

@testable import Commands

@Suite("kith web setup") struct SetupWebCommandTests {
  /// Runs the command.
  ///
  /// - Parameter typed: A person's answers, in order; none = no terminal.
  private func run(_ arguments: String..., typed: [String] = []) async throws -> String {
    let (out, answers) = (Lock(""), Lock(typed))
    let console = Console(
      isTerminal: false, usesColour: false, out: { text in out.withLock { $0 += text } }, err: { _ in },
      answer: { _ in answers.withLock { $0.isEmpty ? nil : $0.removeFirst() } })
    let command = try #require(
      try await KithCommand.asyncParseAsRoot(["web", "setup"] + arguments) as? SetupWebCommand)
    try command.run(on: console)
    return out.withLock { $0 }
  }

  @Test(
    "each way prints its command",
    arguments: [
      ("own-ca", "--listen 0.0.0.0:8443 --state-dir /var/lib/kith-web --name localhost --own-ca"),
      ("plain", "--listen 0.0.0.0:8080 --state-dir /var/lib/kith-web --name localhost --insecure-http"),
      (
        "proxy",
        "--listen 127.0.0.1:8080 --state-dir /var/lib/kith-web --name localhost --behind-proxy --url https://localhost"
      ),
    ])
  func ways(way: String, arguments: String) async throws {
    let printed = try await self.run("--yes", "--way", way, "--name", "localhost")
    #expect(printed.contains("  kith-web \(arguments)\n"))
    #expect(printed.contains("  ExecStart=\n  ExecStart=\(ProgramFolder.path)/kith-web \(arguments)\n"))
    #expect(printed.contains("kith-web = \"door\""))
    #expect(printed.contains("proxy_buffering off;") == (way == "proxy"))
    #expect(printed.contains("Nothing was written"))
  }

  @Test("a person is asked for what the options do not say")
  func asked() async throws {
    let printed = try await self.run(typed: ["3", "kith.home.arpa"])
    #expect(printed.contains("1  certificate:") && printed.contains("--name kith.home.arpa --own-ca"))
  }

  @Test(
    "what is missing or wrong is named",
    arguments: [
      (["--yes"], "way"), (["--yes", "--way", "plain"], "name"), (["--way", "plain", "--name", "a;b"], "name"),
      (["--way", "plain", "--name", "a", "--port", "0"], "port"), (["--way", "certificate", "--name", "a"], "cert"),
      (["--way", "certificate", "--name", "a", "--cert", "x.pem", "--key-file", "/y"], "cert"),
      (["--way", "own-ca", "--name", "a", "--cert", "/x"], "cert"),
    ])
  func wrong(arguments: [String], field: String) async throws {
    let command = try #require(
      try await KithCommand.asyncParseAsRoot(["web", "setup"] + arguments) as? SetupWebCommand)
    let console = Console(isTerminal: false, usesColour: false, out: { _ in }, err: { _ in })
    let failure = #expect(throws: Failure.self) { try command.run(on: console) }
    #expect(failure?.message.contains(field) == true)
  }

  @Test("files that cannot be read and names without an address are told; only the named file is written")
  func checked() async throws {
    let place = try TemporaryDirectory()
    let file = "\(place.path)/kith-web.service.d/setup.conf"
    let printed = try await self.run(
      "--yes", "--way", "certificate", "--name", "kith.invalid", "--cert", "/none/a b%.pem", "--key-file", "/none/k",
      "--write-drop-in", file)
    #expect(printed.contains("Check: /none/a b%.pem cannot be read"))
    #expect(printed.contains("Check: kith.invalid has no address"))
    #expect(try String(contentsOfFile: file, encoding: .utf8).contains("--cert \"/none/a b%%.pem\" --key-file /none/k"))
    #expect(try FileManager.default.subpathsOfDirectory(atPath: place.path).count == 2)
  }
}
