import Bus
import EventLoop
import Testing

@testable import Commands

@Suite("How kith is called")
struct UsageTests {
  private func execute(_ arguments: String...) async -> (code: Int32, out: String, err: String) {
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
      ["bogus"], ["contacts", "show"], ["contacts", "list", "--limit", "0"], ["contacts", "list", "--limit", "x"],
      ["contacts", "source", "add", "home"], ["contacts", "source", "add", "home", "--vdir", "a", "--vcf", "b"],
      ["watch", "--since", "sync"], ["watch", "--count", "0"], ["contacts", "export"],
      ["contacts", "export", "-o", "x", "--format", "pdf"], ["backup"],
    ])
  func wrong(arguments: [String]) async {
    let (out, err) = (Lock(""), Lock(""))
    let console = Console(
      isTerminal: false, usesColour: false, out: { text in out.withLock { $0 += text } },
      err: { text in err.withLock { $0 += text } })
    #expect(await KithCommand.execute(arguments, console: console) == 2)
    #expect(out.withLock { $0.isEmpty })
    #expect(err.withLock { $0.contains("Usage: kith") })
  }

  @Test("The version is that which System/Status tells")
  func version() async {
    let said = await self.execute("--version")
    #expect(said.code == 0)
    #expect(said.out == "kith \(SoftwareVersion.current)\n")
    #expect(said.err.isEmpty)
  }

  @Test("Help is exit code 0 and has an example, for every command")
  func help() async {
    let commands = [
      "", "status", "ping", "services", "watch", "backup", "contacts", "contacts list", "contacts show",
      "contacts search", "contacts photo", "contacts restore", "contacts export", "contacts sync", "contacts status",
      "contacts problems", "contacts source", "contacts source add", "contacts source list", "contacts source remove",
      "contacts source test",
    ]
    for command in commands {
      let (out, code) = (Lock(""), Lock<Int32>(-1))
      let console = Console(
        isTerminal: false, usesColour: false, out: { text in out.withLock { $0 += text } }, err: { _ in })
      let result = await KithCommand.execute(
        command.split(separator: " ").map(String.init) + ["--help"], console: console)
      code.withLock { $0 = result }
      #expect(code.withLock { $0 } == 0)
      #expect(out.withLock { $0.contains("Example: kith") }, "\(command)")
    }
  }

  @Test("Completion scripts come for the usual shells", arguments: ["bash", "zsh", "fish"])
  func completion(shell: String) async {
    let run = await self.execute("--generate-completion-script", shell)
    #expect(run.code == 0)
    #expect(run.out.contains("kith"))
  }

  @Test("Without kithd it is exit code 3, with what to do; in JSON a status")
  func notRunning() async {
    let people = await self.execute("--runtime-dir", "/nowhere", "status")
    #expect(people.code == 3)
    #expect(people.err.hasPrefix("kith: No kithd answers at /nowhere. Start it with `kithd`"))
    let json = await self.execute("status", "--json", "--runtime-dir", "/nowhere")
    #expect(json.code == 3)
    #expect(json.err.hasPrefix(#"{"code":"UNAVAILABLE","reason":"HUB_NOT_RUNNING""#))
  }
}
