internal import ArgumentParser
internal import Help
internal import KithMessages
internal import SwiftProtobuf

/// The language of all that is printed.
enum Language: String, Sendable, CaseIterable, ExpressibleByArgument {
  case japanese = "ja"
  case english = "en"

  /// The language of the locale; English for any other than Japanese.
  static var ofLocale: Language { Catalogue.isWanted ? .japanese : .english }

  /// The language that a command line asks for by `--lang`, as far as it can be read; else that of the locale.
  static func asked(in arguments: [String]) -> Language {
    let value = arguments.firstIndex(of: "--lang").map { arguments.dropFirst($0 + 1).first ?? "" }
    let joined = arguments.first { $0.hasPrefix("--lang=") }?.dropFirst("--lang=".count)
    return (value ?? joined.map(String.init)).flatMap(Language.init(rawValue:)) ?? .ofLocale
  }

  /// Chooses the text in this language.
  func callAsFunction(_ english: @autoclosure () -> String, _ japanese: @autoclosure () -> String) -> String {
    self == .japanese ? japanese() : english()
  }

  /// The same language, as the texts of care name it.
  var ofCare: CareLanguage { self == .japanese ? .japanese : .english }

  /// The name of a role.
  func role(_ name: String) -> String {
    let japanese = ["viewer": "閲覧", "recorder": "記録", "admin": "管理", "worker": "ワーカー", "door": "kith-web"]
    return self(name, japanese[name] ?? name)
  }

  /// The state of a key or a device.
  func keyState(_ name: String) -> String {
    let japanese = ["active": "有効", "approved": "有効", "pending": "承認待ち", "expired": "期限切れ", "revoked": "取り消し"]
    return self(name, japanese[name] ?? name)
  }

  /// What is being done, as progress names it: the name of a source is itself.
  func stage(_ name: String) -> String {
    switch name {
    case "listing": self("looking for changes", "変更を探しています")
    case "transcribing": self("transcribing", "文字起こし中")
    default: SourceState.name(name)
    }
  }

  /// What progress waits for and how long; nil if it goes on.
  func wait(_ progress: Progress) -> String? {
    guard progress.stage == "rate_limit" else { return nil }
    let seconds = progress.eta.seconds
    return self("Monica's rate limit: goes on in \(seconds) s", "Monica の回数制限: \(seconds)秒後に続けます")
  }

  /// The name of a category of care.
  func category(_ name: String) -> String {
    CareCategory(rawValue: name)?.words(self) ?? (name.isEmpty ? "-" : name.replacing("_", with: " "))
  }
}
