internal import ArgumentParser
internal import Bus
internal import Findings
internal import Foundation
internal import KithMessages

/// Looks at everything that may need a person, with kithd and without.
struct DoctorCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Look at everything that may need you, and say what to do.",
    discussion: """
      Works while kithd does not run, too. Exit code 1 if something needs a person.
      Example: kith doctor
      """)

  @OptionGroup var global: GlobalOptions

  @Flag(help: "Send a test message over each channel.")
  var send = false

  func run() async throws {
    do {
      try await self.runConnected()
    } catch let failure as Failure {
      // Wrong options say nothing about kithd.
      guard failure.code != .invalidArgument else { throw failure.read(in: self.language) }
      try self.report(self.withoutHub(failure), on: .standard)
    }
  }

  func run(_ session: Session) async throws {
    let findings = try await HubExamination(session: session, sends: self.send).findings()
    try self.report(findings, on: session.console)
  }

  private var language: Language { self.global.lang ?? .ofLocale }

  /// What can be seen from here.
  private func withoutHub(_ failure: Failure) -> [Finding] {
    let isElsewhere =
      self.global.hub ?? (self.global.runtimeDir == nil ? RuntimeLocations.variable("KITH_HUB") : nil) ?? ""
    return LocalExamination(language: self.language, runtimeDirectory: self.global.runtimeDir)
      .findings(failure, isHere: isElsewhere.isEmpty)
  }

  /// Prints what was found.
  ///
  /// - Throws: The exit code 1 if something needs a person.
  private func report(_ findings: [Finding], on console: Console) throws {
    let needed = findings.count { $0.state == .bad }
    if self.global.json {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      console.print(String(decoding: try encoder.encode(["findings": findings]), as: UTF8.self))
    } else {
      for line in findings.flatMap({ $0.lines(self.language, console) }) { console.print(line) }
      console.print("")
      console.print(self.verdict(needed, looks: findings.count { $0.state == .look }))
    }
    guard needed == 0 else { throw ExitCode(ExitStatus.failed.rawValue) }
  }

  private func verdict(_ needed: Int, looks: Int) -> String {
    let say = self.language
    switch (needed, looks) {
    case (0, 0): return say("Everything is well.", "問題はありません。")
    case (0, _): return say("Nothing needs you now; \(looks) to look at.", "急ぐものはありません。確認: \(looks)件。")
    default:
      return say(
        "\(Count.of(needed, "thing")) \(needed == 1 ? "needs" : "need") you, \(looks) to look at.",
        "対応が必要: \(needed)件、確認: \(looks)件。")
    }
  }
}
