import Foundation
import KithClient

/// A `kithd` of its own, on directories that go with it.
final class Daemon {
  let directory: String
  private let binary: String
  private var process: Process?

  var stateDirectory: String { "\(self.directory)/state" }
  var runtimeDirectory: String { "\(self.directory)/run" }
  var processID: Int32 { self.process?.processIdentifier ?? 0 }

  init(binary: String) throws {
    self.binary = binary
    self.directory = "/tmp/kith-bench-\(getpid())"
    try FileManager.default.createDirectory(atPath: self.directory, withIntermediateDirectories: true)
    try "[contacts]\nsync_at_start = false\nwatch_files = false\nsync_every_minutes = 0\n[log]\nlevel = \"error\"\n"
      .write(toFile: "\(self.directory)/kithd.toml", atomically: true, encoding: .utf8)
  }

  func start() throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: self.binary)
    process.arguments = [
      "--state-dir", self.stateDirectory, "--runtime-dir", self.runtimeDirectory, "--config",
      "\(self.directory)/kithd.toml",
    ]
    try process.run()
    self.process = process
  }

  func connect() async throws -> KithClient {
    let start = ContinuousClock.now
    while !FileManager.default.fileExists(atPath: "\(self.runtimeDirectory)/control.sock") {
      guard start.duration(to: .now) < .seconds(20) else { throw CocoaError(.fileNoSuchFile) }
      try await Task.sleep(for: .milliseconds(1))
    }
    return try await KithClient.connect(runtimeDirectory: self.runtimeDirectory, within: .seconds(20))
  }

  func stop() {
    self.process?.terminate()
    self.process?.waitUntilExit()
    self.process = nil
  }

  func remove() {
    self.stop()
    try? FileManager.default.removeItem(atPath: self.directory)
  }

  /// A line of `/proc/PID/status`, in its own unit.
  func status(_ name: String) -> Int {
    let text = (try? String(contentsOfFile: "/proc/\(self.processID)/status", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("\(name):") } ?? ""
    return Int(line.split(separator: "\t").last?.filter(\.isNumber) ?? "") ?? 0
  }

  /// Voluntary context switches of all threads: how often any of them woke up.
  func wakeUps() -> Int {
    let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(self.processID)/task")) ?? []
    return tasks.reduce(0) { sum, task in
      let path = "/proc/\(self.processID)/task/\(task)/status"
      let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
      let line = text.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches") } ?? ""
      return sum + (Int(line.filter(\.isNumber)) ?? 0)
    }
  }
}
