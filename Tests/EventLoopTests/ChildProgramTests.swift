import EventLoop
import Glibc
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ChildProgramTests {
  private func shell(_ script: String, limit: Duration = .seconds(30)) -> ChildProgram {
    ChildProgram(path: "/bin/sh", arguments: ["-c", script], limit: limit, outputLimit: 8 << 20)
  }

  @Test("what goes in comes out, however much it is")
  func echo() async throws {
    let input = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let outcome = try await self.shell("cat").run(input)
    #expect(outcome.status == 0 && outcome.output == input && outcome.messages.isEmpty)
  }

  @Test("exit code, messages and what was written before the end are told")
  func ending() async throws {
    let outcome = try await self.shell("echo out; echo why >&2; exit 7").run()
    #expect(outcome.status == 7)
    #expect(outcome.output == Array("out\n".utf8))
    #expect(outcome.messages == "why\n")
    #expect(try await self.shell("kill -TERM $$").run().status == 128 + SIGTERM)
  }

  @Test("a program that reads nothing of what it is given is no fault")
  func deaf() async throws {
    let outcome = try await self.shell("exec <&-; echo done").run([UInt8](repeating: 65, count: 1 << 20))
    #expect(outcome.status == 0 && outcome.output == Array("done\n".utf8))
  }

  @Test("a program that takes too long is killed, also when it has closed its streams")
  func slow() async {
    for script in ["exec sleep 60", "exec <&- >&- 2>&-; exec sleep 60"] {
      await #expect(throws: ChildProgram.Fault.exceeded) {
        try await self.shell(script, limit: .milliseconds(200)).run()
      }
    }
  }

  @Test("a program that writes without end is killed")
  func endless() async {
    await #expect(throws: ChildProgram.Fault.exceeded) { try await self.shell("exec yes").run() }
  }

  @Test("a program that is not there is told from one that fails")
  func missing() async {
    await #expect(throws: ChildProgram.Fault.notStarted(code: ENOENT)) {
      try await ChildProgram(path: "/nonexistent/program", limit: .seconds(1)).run()
    }
  }

  @Test("signals that are blocked or ignored here are not for the program")
  func signals() async throws {
    signal(SIGPIPE, SIG_IGN)
    defer { signal(SIGPIPE, SIG_DFL) }
    let outcome = try await self.shell("grep -E '^Sig(Blk|Ign)' /proc/self/status").run()
    let masks = String(decoding: outcome.output, as: UTF8.self).split(whereSeparator: \.isWhitespace)
    #expect(masks.count == 4)
    // Signals 32 and 33 are glibc's own.
    #expect(try #require(UInt64(masks[1], radix: 16)) & 0x7FFF_FFFF == 0)
    #expect(try #require(UInt64(masks[3], radix: 16)) & 0x7FFF_FFFF == 0)
  }
}
