internal import ArgumentParser
internal import CivilTime
internal import KithMessages

struct ReminderSettingsCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "settings", abstract: "Show or change the channels of reminders.",
    discussion: """
      Reminders are always events of kithd. They are sent over the channels that are named here.
      Example: kith remind settings --daily phone --daily family --call phone
      Example: kith remind settings --no-daily
      """)

  @OptionGroup var global: GlobalOptions

  @Option(help: "A channel of the daily reminder; may be repeated.", completion: Completion.channels)
  var daily: [String] = []

  @Option(help: "A channel of reminders to call; may be repeated.", completion: Completion.channels)
  var call: [String] = []

  @Option(help: "A channel of reminders kept with a person; may be repeated.", completion: Completion.channels)
  var person: [String] = []

  @Option(help: "A channel of reminders of the plan; may be repeated.", completion: Completion.channels)
  var plan: [String] = []

  @Flag(help: "No channels for the daily reminder.")
  var noDaily = false

  @Flag(help: "No channels for reminders to call.")
  var noCall = false

  @Flag(help: "No channels for reminders kept with a person.")
  var noPerson = false

  @Flag(help: "No channels for reminders of the plan.")
  var noPlan = false

  @Flag(inversion: .prefixedNo, help: "Whether messages of the plan say what is due.")
  var planNames: Bool?

  @Flag(inversion: .prefixedNo, help: "Whether reminders kept with a person come at all.")
  var people: Bool?

  @Option(help: "The time of reminders kept with a person, as HH:MM.")
  var personTime: String?

  @Option(help: "ja or en: the language of messages.")
  var language: String?

  func run(_ session: Session) async throws {
    let request = self.request
    let settings =
      request.fields.isEmpty ? try await session.ask(ReminderSettingsRequest()) : try await session.ask(request)
    let say = session.language
    func words(_ channels: [String]) -> String {
      channels.isEmpty ? say("kith only", "kith だけ") : channels.map(Printable.text).joined(separator: ", ")
    }
    let people = say("they come at", "時刻") + " \(settings.personTime.isEmpty ? "10:00" : settings.personTime)"
    try await session.show(
      settings,
      [
        "\(say("Daily reminder:", "毎日のお知らせ:")) \(words(settings.dailyChannels))",
        "\(say("Reminders to call:", "電話のお知らせ:")) \(words(settings.callChannels))",
        "\(say("Reminders of people:", "人のお知らせ:")) "
          + (settings.noPersonReminders ? say("off", "オフ") : "\(words(settings.personChannels)); \(people)"),
        "\(say("Reminders of the plan:", "予定のお知らせ:")) \(words(settings.planChannels))"
          + (settings.noPlanNames ? say("; without names", "、品名なし") : ""),
        "\(say("Language:", "言語:")) \(settings.language.isEmpty ? say("as of care", "介護の設定と同じ") : settings.language)",
      ])
  }

  private var request: ConfigureRemindersRequest {
    var request = ConfigureRemindersRequest()
    let lists: [(String, [String], Bool, WritableKeyPath<ReminderSettings, [String]>)] = [
      ("daily_channels", self.daily, self.noDaily, \.dailyChannels),
      ("call_channels", self.call, self.noCall, \.callChannels),
      ("person_channels", self.person, self.noPerson, \.personChannels),
      ("plan_channels", self.plan, self.noPlan, \.planChannels),
    ]
    for (field, names, isNone, path) in lists where isNone || !names.isEmpty {
      request.settings[keyPath: path] = isNone ? [] : names
      request.fields.append(field)
    }
    if let people {
      request.settings.noPersonReminders = !people
      request.fields.append("no_person_reminders")
    }
    if let planNames {
      request.settings.noPlanNames = !planNames
      request.fields.append("no_plan_names")
    }
    if let personTime {
      request.settings.personTime = DayWords.time(personTime)
      request.fields.append("person_time")
    }
    if let language {
      request.settings.language = language
      request.fields.append("language")
    }
    return request
  }
}
