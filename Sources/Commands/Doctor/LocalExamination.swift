internal import Bus
internal import Findings
internal import Glibc
internal import KithMessages
internal import SwiftProtobuf

/// What can be seen from here while kithd does not answer.
struct LocalExamination {
  let language: Language
  /// As given on the command line.
  let runtimeDirectory: String?

  /// What was found.
  ///
  /// - Parameters:
  ///   - failure: Why kithd does not answer.
  ///   - isHere: Whether kithd is one of this machine.
  func findings(_ failure: Failure, isHere: Bool) -> [Finding] {
    let say = self.language
    let logs = say("To see why: journalctl --user -u kithd -n 20", "理由を見るには: journalctl --user -u kithd -n 20")
    var findings = [
      Finding(.kithd, .bad, failure.read(in: say).message, advice: isHere && failure.code == .unavailable ? logs : "")
    ]
    if isHere { findings += self.places() }
    findings.append(FindingRules.clock(say, isSynchronized: Machine.clockIsSynchronized, now: .now()))
    if isHere {
      let isThere = ["ffmpeg", "ffprobe"].allSatisfy { access("/usr/bin/" + $0, X_OK) == 0 }
      findings.append(FindingRules.converter(say, missing: isThere ? "" : "ffmpeg"))
    }
    return findings
  }

  private func places() -> [Finding] {
    let say = self.language
    guard let locations = try? RuntimeLocations(runtimeDirectory: self.runtimeDirectory) else { return [] }
    var findings: [Finding] = []
    if let path = Self.configurationPath {
      let isReadable = access(path, R_OK) == 0
      findings.append(
        Finding(
          .configuration, isReadable ? .good : .bad,
          isReadable ? path : say("\(path) cannot be read.", "\(path) を読めません。"),
          advice: isReadable ? "" : say("Check the path and its permissions.", "パスと権限を確認してください。")))
    }
    let state = Machine.folder(locations.stateDirectory, isPrivate: true)
    let isNew = state.fault == "missing"
    findings.append(
      isNew
        ? Finding(
          .folders, .look, say("There is no \(state.path) yet.", "\(state.path) はまだありません。"),
          advice: say("kithd makes it when it starts.", "kithd が起動するときに作られます。"))
        : FindingRules.folder(say, state))
    findings.append(
      Finding(
        .database, .look,
        say("Only kithd can check it.", "kithd が動いていないと確認できません。"),
        advice: say("Start kithd, and look again.", "kithd を起動してから、もう一度実行してください。")))
    return findings
  }

  /// The file that kithd reads; nil if it would read none.
  private static var configurationPath: String? {
    if let named = RuntimeLocations.variable("KITH_CONFIG"), !named.isEmpty { return named }
    let home = RuntimeLocations.variable("HOME") ?? "/"
    let base = RuntimeLocations.variable("XDG_CONFIG_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
    let path = "\(base ?? "\(home)/.config")/kith/kithd.toml"
    return access(path, F_OK) == 0 ? path : nil
  }
}
