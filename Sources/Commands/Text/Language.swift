internal import ArgumentParser
internal import Bus
internal import Help
internal import KithMessages
internal import SwiftProtobuf

/// The language of the output. Care, reminders and channels have texts in both; reports are written in one of them.
enum Language: String, Sendable, CaseIterable, ExpressibleByArgument {
  case japanese = "ja"
  case english = "en"

  /// The language of the locale; English for any other than Japanese.
  static var ofLocale: Language { Catalogue.isWanted ? .japanese : .english }

  /// Chooses the text in this language.
  func callAsFunction(_ english: @autoclosure () -> String, _ japanese: @autoclosure () -> String) -> String {
    self == .japanese ? japanese() : english()
  }

  /// `2 minutes ago`, `in 3 days`, `just now`; `never` if the time is not set.
  func relative(_ time: Google_Protobuf_Timestamp, now: Google_Protobuf_Timestamp) -> String {
    guard self == .japanese else { return RelativeTime.words(time, now: now) }
    guard time.seconds != 0 else { return "なし" }
    let seconds = now.seconds - time.seconds
    let units: [(Int64, String)] = [
      (31_536_000, "年"), (2_629_800, "か月"), (86_400, "日"), (3600, "時間"), (60, "分"),
    ]
    guard let unit = units.first(where: { abs(seconds) >= $0.0 }) else { return "たった今" }
    return "\(abs(seconds) / unit.0)\(unit.1)\(seconds > 0 ? "前" : "後")"
  }

  /// The time of the next attempt: `in 3 days`; `in a moment` if it is due.
  func next(_ time: Google_Protobuf_Timestamp, now: Google_Protobuf_Timestamp) -> String {
    guard self == .japanese else { return RelativeTime.next(time, now: now) }
    return time.seconds - now.seconds < 60 ? "まもなく" : self.relative(time, now: now)
  }

  /// The name of a category of care.
  func category(_ name: String) -> String {
    CareCategory(rawValue: name)?.words(self) ?? (name.isEmpty ? "-" : name.replacing("_", with: " "))
  }
}

/// The option `--lang`.
struct LanguageOption: ParsableArguments {
  @Option(help: "ja or en: the language of the output. Default: that of the locale.")
  var lang: Language?
}

/// A command whose output and failures exist in both languages.
protocol BilingualCommand: HubCommand {
  /// The option that every such command has.
  var outputLanguage: LanguageOption { get }

  /// Does the work.
  ///
  /// - Throws: As ``HubCommand/run(_:)``.
  func carryOut(_ session: Session) async throws
}

extension BilingualCommand {
  func run() async throws {
    do {
      try await self.runConnected()
    } catch let failure as Failure {
      // Also a failure before the connection to kithd.
      throw failure.read(in: self.outputLanguage.lang ?? .ofLocale)
    }
  }

  func run(_ session: Session) async throws {
    var session = session
    session.language = self.outputLanguage.lang ?? session.language
    do {
      try await self.carryOut(session)
    } catch let failure as Failure {
      throw failure.read(in: session.language)
    }
  }
}
