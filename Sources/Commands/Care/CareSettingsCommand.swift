internal import ArgumentParser
internal import Bus
internal import CivilTime
internal import KithMessages

struct CareSettingsCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "settings", abstract: "Show or change the settings: person cared for, language, time zone.",
    discussion: "Example: kith care settings --recipient 'Hanako Sato' --language en --time-zone Asia/Tokyo")

  @OptionGroup var global: GlobalOptions

  @Option(help: "The name of the person cared for.")
  var recipient: String?

  @Option(help: "The honorific after a Japanese name.")
  var honorific: String?

  @Option(help: "The default name of the person who records.")
  var recorder: String?

  @Option(help: "ja or en: the language of summaries and speech.")
  var language: String?

  @Option(help: "The time zone of days, such as Asia/Tokyo; '' for the hub's.")
  var timeZone: String?

  @Option(help: "How many hours to keep recordings that could not be transcribed.")
  var keepAudio: UInt32?

  func run(_ session: Session) async throws {
    var request = ConfigureCareRequest()
    func set(_ field: String, _ value: String?, _ path: WritableKeyPath<CareSettings, String>) {
      guard let value else { return }
      request.settings[keyPath: path] = value
      request.fields.append(field)
    }
    set("recipient", self.recipient, \.recipient)
    set("honorific", self.honorific, \.honorific)
    set("recorder", self.recorder, \.recorder)
    set("language", self.language, \.language)
    set("time_zone", self.timeZone, \.timeZone)
    if let keepAudio {
      request.settings.keepAudioHours = keepAudio
      request.fields.append("keep_audio_hours")
    }
    let settings =
      request.fields.isEmpty ? try await session.ask(CareSettingsRequest()) : try await session.ask(request)
    let say = session.language
    let hours = settings.keepAudioHours == 0 ? 72 : Int(settings.keepAudioHours)
    let unset = say("not set", "未設定")
    let recipient = [settings.recipient, settings.honorific].filter { !$0.isEmpty }.joined(separator: " ")
    let rows: [Details.Row] = [
      (say("Cared for", "対象"), recipient.isEmpty ? unset : recipient),
      (say("Recorded by", "記録者"), settings.recorder.isEmpty ? unset : settings.recorder),
      (say("Language", "言語"), settings.language.isEmpty ? say("by locale", "ロケール") : settings.language),
      (say("Time zone", "時間帯"), settings.timeZone.isEmpty ? say("of the hub", "kithd と同じ") : settings.timeZone),
      (say("Sound kept", "音声の保存"), say(Count.of(hours, "hour"), "\(hours)時間")),
    ]
    try await session.show(settings, Details(title: say("Care", "介護"), rows: rows).lines(session))
  }
}

extension Session {
  /// A day as requests of care carry it; empty if none was given. Words such as `today` are read in the time zone of care.
  func careDay(_ day: DayArgument?) async throws(Failure) -> String {
    guard let day else { return "" }
    guard !day.isFixed else { return day.text(self) }
    return day.text(self, in: try await self.careZone())
  }

  /// The time zone of the household, in which the plan has its times.
  func careZone() async throws(Failure) -> Zone {
    Zone(named: try await self.ask(CareSettingsRequest()).timeZone) ?? self.zone
  }
}
