import CLinux
import EventLoop
import Foundation
import Glibc
import Testing

@Suite(.timeLimit(.minutes(2)))
struct ChildProcessTests {
  private static func shell(
    _ script: String, _ arguments: [String] = [], environment: [String: String] = ["PATH": "/usr/bin:/bin"],
    directory: String = "/", input: [UInt8] = [], limits: ChildProcess.Limits = .init(time: .seconds(60))
  ) -> ChildProcess {
    ChildProcess(
      "/bin/sh", ["-c", script, "sh"] + arguments, environment: environment, directory: directory, input: input,
      limits: limits)
  }

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  @Test("a program gets its arguments, input, variables and directory, and nothing else")
  func surroundings() async throws {
    // Open in this process without close-on-exec: the program must not see it.
    let leak = dup(0)
    defer { close(leak) }
    let outcome = try await Self.shell(
      "cat; echo \"$1|$NAME|$HOME|$PWD\"; ls /proc/self/fd | wc -l; umask; echo complaint >&2; exit 7", ["a 'b' \n"],
      environment: ["PATH": "/usr/bin:/bin", "NAME": "välue"], directory: "/usr", input: Array("input\n".utf8)
    ).run()
    // Three standard descriptors, and the one with which `ls` reads the folder.
    #expect(Self.text(outcome.output) == "input\na 'b' \n|välue||/usr\n4\n0077\n")
    #expect(Self.text(outcome.errors) == "complaint\n")
    #expect(outcome.ending == .exited(7))
  }

  @Test("input and output larger than a pipe pass, and of the complaints the end is kept")
  func large() async throws {
    let input = [UInt8]((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
    let outcome = try await Self.shell("cat; seq 100000 >&2", input: input).run()
    #expect(outcome.output == input)
    #expect(outcome.errors.count == 4096 && Self.text(outcome.errors).hasSuffix("\n99999\n100000\n"))
    #expect(outcome.ending == .exited(0))
  }

  @Test("of output without end the beginning is kept where that is enough")
  func cutOutput() async throws {
    let limits = ChildProcess.Limits(time: .seconds(60), output: 5, isOutputCut: true)
    let outcome = try await Self.shell("seq 1000000; exit 3", limits: limits).run()
    #expect(Self.text(outcome.output) == "1\n2\n3")
    #expect(outcome.ending == .exited(3))
  }

  @Test("a program that is not there, or is none, is told from one that fails")
  func absent() async throws {
    await #expect(throws: ChildProcess.Fault.notExecutable(ENOENT)) {
      try await ChildProcess("/nowhere/program", [], directory: "/", limits: .init(time: .seconds(5))).run()
    }
    await #expect(throws: ChildProcess.Fault.notExecutable(EACCES)) {
      try await ChildProcess("/etc/passwd", [], directory: "/", limits: .init(time: .seconds(5))).run()
    }
    await #expect(throws: ChildProcess.Fault.notStarted(call: "chdir", code: ENOENT)) {
      try await Self.shell("true", directory: "/nowhere").run()
    }
  }

  @Test("a program that ends by a signal says which")
  func signalled() async throws {
    #expect(try await Self.shell("kill -TERM $$").run().ending == .signalled(SIGTERM))
  }

  @Test("out of time, the whole group is killed, also what ignores signals")
  func outOfTime() async throws {
    let directory = try Marks()
    let script = "trap '' TERM INT HUP; (sleep 1000; true) & echo $! > inner; echo $$ > outer; wait"
    // Longer again where the machine was too busy for the shell to come that far.
    for seconds in [2, 20, 60] where !directory.has("inner", "outer") {
      await #expect(throws: ChildProcess.Fault.outOfTime) {
        try await Self.shell(script, directory: directory.path, limits: .init(time: .seconds(seconds))).run()
      }
    }
    try await directory.expectGone("inner", "outer")
  }

  @Test("what a program leaves running is killed when it ends, and does not hold its output open")
  func leftover() async throws {
    let directory = try Marks()
    let outcome = try await Self.shell("sleep 1000 & echo $! > inner; echo done", directory: directory.path).run()
    #expect(Self.text(outcome.output) == "done\n")
    try await directory.expectGone("inner")
  }

  @Test("a cancelled task kills the group")
  func cancelled() async throws {
    let directory = try Marks()
    let started = try directory.pipe("started")
    let task = Task {
      try await Self.shell(
        "sleep 1000 & echo $! > inner; echo $$ > outer; echo > started; wait", directory: directory.path
      ).run()
    }
    #expect(await Marks.isReadable(started))
    task.cancel()
    await #expect(throws: ChildProcess.Fault.cancelled) { try await task.value }
    try await directory.expectGone("inner", "outer")
  }

  @Test("a task that is cancelled before does not let the program run")
  func cancelledBefore() async throws {
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await Self.shell("sleep 1000").run()
    }
    task.cancel()
    await #expect(throws: ChildProcess.Fault.cancelled) { try await task.value }
  }

  @Test("a program that floods its output is killed; one that floods its complaints until its time is over too")
  func floods() async throws {
    await #expect(throws: ChildProcess.Fault.tooMuchOutput) { try await Self.shell("yes").run() }
    await #expect(throws: ChildProcess.Fault.outOfTime) {
      try await Self.shell("yes >&2", limits: .init(time: .milliseconds(500))).run()
    }
  }

  @Test("memory, files, core dumps, niceness and privileges are limited")
  func limits() async throws {
    let directory = try Marks()
    let limits = ChildProcess.Limits(time: .seconds(60), memory: 512 << 20, fileSize: 4096, niceness: 12)
    let script =
      "ulimit -v; ulimit -c; nice; grep NoNewPrivs /proc/self/status; head -c 10000 /dev/zero > big; wc -c < big"
    let outcome = try await Self.shell(script, directory: directory.path, limits: limits).run()
    #expect(Self.text(outcome.output) == "524288\n0\n12\nNoNewPrivs:\t1\n4096\n")
  }

  @Test("many at once end with their own results")
  func many() async throws {
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<40 {
        group.addTask {
          let outcome = try await Self.shell("echo \(number); exit \(number)").run()
          return outcome.ending == .exited(Int32(number)) && Self.text(outcome.output) == "\(number)\n"
        }
      }
      for try await isRight in group { #expect(isRight) }
    }
  }
}

/// A folder in which programs write their ids.
private final class Marks: Sendable {
  let path: String

  init() throws {
    self.path = NSTemporaryDirectory() + "kith-child-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: self.path, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(atPath: self.path) }

  private func id(_ name: String) -> pid_t? {
    (try? String(contentsOfFile: self.path + "/" + name, encoding: .utf8))
      .flatMap { $0.hasSuffix("\n") ? pid_t($0.dropLast()) : nil }
  }

  /// Whether programs have written all of these.
  func has(_ names: String...) -> Bool { names.allSatisfy { self.id($0) != nil } }

  /// Creates a named pipe, with which a program reports its progress, and opens it for reading.
  func pipe(_ name: String) throws -> Int32 {
    try #require(mkfifo(self.path + "/" + name, 0o600) == 0)
    let descriptor = open(self.path + "/" + name, O_RDONLY | O_NONBLOCK)
    try #require(descriptor >= 0)
    return descriptor
  }

  /// Waits until the processes have ended. A process that init has reaped counts as ended.
  func expectGone(_ names: String...) async throws {
    for name in names {
      let process = kith_pidfd(try #require(self.id(name)))
      if process >= 0 { #expect(await Self.isReadable(process), "\(name) lives on") }
    }
  }

  /// Waits until a descriptor is readable, for at most a minute, and closes it.
  static func isReadable(_ descriptor: Int32) async -> Bool {
    await withCheckedContinuation { continuation in
      // A separate thread waits, so that the pool's threads stay free.
      Thread.detachNewThread {
        var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let isReady = poll(&wanted, 1, 60_000) == 1
        close(descriptor)
        continuation.resume(returning: isReady)
      }
    }
  }
}
