import ArgumentParser
import Bus
import EventLoop
import KithMessages
import SwiftProtobuf
import Testing

@testable import Commands
@testable import Help

@Suite("How kith is called")
struct UsageTests {
  private func execute(_ arguments: [String]) async -> (code: Int32, out: String, err: String) {
    let (out, err) = (Lock(""), Lock(""))
    let console = Console(
      isTerminal: false, usesColour: false, out: { text in out.withLock { $0 += text } },
      err: { text in err.withLock { $0 += text } })
    let code = await KithCommand.execute(arguments, console: console)
    return (code, out.withLock { $0 }, err.withLock { $0 })
  }

  @Test(
    "Wrong usage is exit code 2, with the usage on standard error",
    arguments: [
      ["bogus"], ["keys", "new"], ["keys", "approve", "0123456789abcdef"], ["keys", "approve", "--name", "a"],
      ["keys", "rotate", "--overlap", "soon"], ["contacts", "show"], ["contacts", "list", "--limit", "0"],
      ["contacts", "list", "--limit", "x"],
      ["contacts", "source", "add", "home"], ["contacts", "source", "add", "home", "--vdir", "a", "--vcf", "b"],
      ["watch", "--since", "sync"], ["watch", "--count", "0"], ["contacts", "export"],
      ["contacts", "export", "-o", "x", "--format", "pdf"], ["backup"], ["monica", "login"],
      ["monica", "login", "--cloud", "--endpoint", "https://a"], ["monica", "clear"],
      ["monica", "clear", "x", "--all"],
      ["monica", "queue", "--state", "done"], ["monica", "resolve", "x"],
      ["monica", "resolve", "x", "--keep", "local", "--merge", "note=local"],
      ["monica", "resolve", "x", "--merge", "note=mine"], ["monica", "sync", "--full", "--push-only"], ["call", "log"],
      ["call", "log", "ann", "--emotion", "great"], ["call", "log", "ann", "--at", "soon"],
      ["call", "log", "ann", "--at", "2026-11-20"], ["call", "log", "ann", "--duration", "-1"],
      ["call", "list", "--limit", "501"], ["call", "list", "--state", "lost"], ["call", "export", "--format", "vcf"],
      ["talk", "log", "ann"], ["note", "list"], ["relation", "list"], ["relation", "add", "ann", "parent"],
      ["people", "link"], ["people", "link", "ann", "bob", "--suggest"],
      ["people", "remind", "add", "ann", "--every", "2"],
      ["activity", "add", "ann", "--on", "30.2.2026"], ["tag", "assign", "ann"],
    ])
  func wrong(arguments: [String]) async {
    let run = await self.execute(arguments)
    #expect(run.code == 2)
    #expect(run.out.isEmpty)
    #expect(run.err.contains("Usage: kith"))
  }

  @Test("`--version` prints the version of System/Status")
  func version() async {
    let said = await self.execute(["--version"])
    #expect(said.code == 0)
    #expect(said.out == "kith \(SoftwareVersion.current)\n")
    #expect(said.err.isEmpty)
  }

  @Test("Help is exit code 0", arguments: [[], ["contacts"], ["people", "field", "add"], ["note", "list"]])
  func help(path: [String]) async {
    let run = await self.execute(path + ["--help"])
    #expect(run.code == 0)
    #expect(run.out.contains("Example: kith"))
  }

  @Test("Every command has examples, which the parser takes")
  func examples() async throws {
    for command in Self.all(in: try CommandTree(of: KithCommand.self)) where command.commandName != "help" {
      #expect(!command.examples.isEmpty, "\(command.commandName)")
      for example in Self.examples(of: command) {
        await #expect(throws: Never.self, "\(example)") { try await Self.parse(example) }
      }
    }
  }

  /// The parser checks this itself at the start of a debug build only.
  @Test("Every command names each option once, and an argument of any number of words comes last")
  func definitions() throws {
    let commands = Self.all(in: try CommandTree(of: KithCommand.self))
    #expect(commands.count > 100)
    for command in commands {
      let names = (command.arguments ?? []).flatMap { ($0.names ?? []).map(\.text) }
      #expect(Set(names).count == names.count, "\(command.commandName): \(names)")
      let words = (command.arguments ?? []).filter { $0.kind == "positional" }
      #expect(words.dropLast().allSatisfy { !$0.isRepeating }, "\(command.commandName)")
    }
  }

  /// Reads a command line as its command does, without the rest of the program, which the parser would read each time.
  private static func parse(_ arguments: [String]) async throws {
    var command: any ParsableCommand.Type = KithCommand.self
    var rest = arguments[...]
    while let word = rest.first {
      let named = command.configuration.subcommands.filter { $0.isNamed(word) }
      #expect(named.count <= 1, "\(word)")
      guard let next = named.first else { break }
      (command, rest) = (next, rest.dropFirst())
    }
    _ = try await #require(command as? any AsyncParsableCommand.Type).asyncParseAsRoot(Array(rest))
  }

  /// One example of each command, but of those that record, play, write a file or work without kithd. What kithd replies has one of
  /// everything, so that each table has a row.
  @Test("No command changes something before it refuses a column that its table has not")
  func columns() async throws {
    let local: Set = ["-o", "--file", "audio", "backup", "doctor", "play", "setup", "voice"]
    var refused = 0
    for command in Self.all(in: try CommandTree(of: KithCommand.self)) where command.commands.isEmpty {
      let usable = Self.examples(of: command).first { local.isDisjoint(with: $0) && $0.first != "restore" }
      guard let example = usable else { continue }
      let run = try await CommandRun.of(example + ["--columns", "nope", "--lang", "en"]) { command throws(Failure) in
        Self.reply(to: command)
      }
      guard run.errors.contains("There is no column \"nope\"") else { continue }
      refused += 1
      #expect(!run.sent.contains { type(of: $0).method.isMutating }, "\(example)")
    }
    #expect(refused > 40)
  }

  private static func reply<C: KithMessages.Command>(to command: C) -> C.Reply {
    // Each field has a length of 0: one message where a list of them is, else an empty text.
    let fields: [UInt8] = (1...15).flatMap { (number: UInt8) -> [UInt8] in [number << 3 | 2, 0] }
    return (try? C.Reply(serializedBytes: fields)) ?? C.Reply()
  }

  private static func all(in command: CommandTree) -> [CommandTree] {
    [command] + command.commands.flatMap(self.all)
  }

  /// The arguments of the examples of a command. Some begin with a program whose output they read: these are left out.
  private static func examples(of command: CommandTree) -> [[String]] {
    command.examples.filter { $0.hasPrefix("kith ") }.map { Array(self.words($0[...]).dropFirst()) }
  }

  /// Splits as a shell does, single quotes included.
  private static func words(_ line: Substring) -> [String] {
    line.split(separator: "'", omittingEmptySubsequences: false).enumerated().flatMap { index, part in
      index.isMultiple(of: 2) ? part.split(separator: " ").map(String.init) : [String(part)]
    }
  }

  @Test("Without kithd it is exit code 3, with what to do; in JSON a status")
  func notRunning() async {
    let people = await self.execute(["--runtime-dir", "/nowhere", "status"])
    #expect(people.code == 3)
    #expect(people.err.hasPrefix("kith: No kithd answers at /nowhere. Start it with `kithd`"))
    let json = await self.execute(["status", "--json", "--runtime-dir", "/nowhere"])
    #expect(json.code == 3)
    #expect(json.err.hasPrefix(#"{"code":"UNAVAILABLE","reason":"HUB_NOT_RUNNING""#))
  }
}
