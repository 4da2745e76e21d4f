internal import Findings
internal import KithMessages
internal import SwiftProtobuf

/// What is said of things that can be seen both through kithd and without it.
enum FindingRules {
  /// Less free space than this stops kithd soon: a write-ahead log and an upload need it.
  private static let scarce: UInt64 = 64 << 20
  /// Less than this is worth a look.
  private static let low: UInt64 = 1 << 30
  /// The clock of a machine without a battery begins long before this: 2025-01-01.
  private static let earliest: Int64 = 1_735_689_600

  /// The owner, the mode and the free space of a folder.
  static func folder(_ say: Language, _ folder: FolderState) -> Finding {
    let path = folder.path
    switch folder.fault {
    case "":
      break
    case "missing":
      return Finding(
        .folders, .bad, say("\(path) is missing.", "\(path) がありません。"),
        advice: say("Mount its disk, or restart kithd, which makes it.", "ディスクをマウントするか、kithd を再起動してください (作り直されます)。"))
    case "not_owned":
      return Finding(
        .folders, .bad, say("\(path) belongs to another user.", "\(path) は別のユーザーのものです。"),
        advice: "sudo chown -R USER \(path)")
    case "not_private":
      return Finding(
        .folders, .bad, say("Other users can look into \(path).", "ほかのユーザーが \(path) の中を見られます。"),
        advice: "chmod 700 \(path)")
    default:
      return Finding(
        .folders, .bad, say("kithd cannot write to \(path).", "kithd は \(path) に書き込めません。"), advice: "chmod 700 \(path)")
    }
    let free = Count.bytes(folder.freeBytes)
    let room = say("\(path), \(free) free", "\(path)、空き \(free)")
    guard folder.freeBytes < self.low else { return Finding(.folders, .good, room) }
    let isScarce = folder.freeBytes < self.scarce
    return Finding(
      .folders, isScarce ? .bad : .look,
      isScarce ? say("The disk is full: \(room).", "ディスクがいっぱいです: \(room)。") : room,
      advice: say("Make room on the disk: df -h \(path)", "ディスクの空きを増やしてください: df -h \(path)"))
  }

  /// Whether the clock can be right, and stays so.
  static func clock(_ say: Language, isSynchronized: Bool, now: Google_Protobuf_Timestamp) -> Finding {
    let command = "timedatectl set-ntp true"
    guard now.seconds >= self.earliest else {
      return Finding(.clock, .bad, say("The clock stands years behind.", "時計が何年も遅れています。"), advice: command)
    }
    return isSynchronized
      ? Finding(.clock, .good, say("kept right by a time server", "時刻サーバーに合っています"))
      : Finding(.clock, .look, say("No time server keeps it right.", "時刻サーバーに合わせていません。"), advice: command)
  }

  /// Whether every kind of recording can be transcribed.
  static func converter(_ say: Language, missing package: String) -> Finding {
    guard !package.isEmpty else { return Finding(.converter, .good, "ffmpeg") }
    return Finding(
      .converter, .look,
      say(
        "\(package) is not installed: only WAV can be transcribed, no recordings of phones.",
        "\(package) が入っていません。WAV だけが文字になり、スマートフォンの録音は文字になりません。"),
      advice: "sudo apt-get install \(package)")
  }
}
