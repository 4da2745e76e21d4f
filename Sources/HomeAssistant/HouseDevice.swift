internal import FoundationEssentials
internal import KithMessages
internal import MQTT

/// The description of a household as a device of Home Assistant: one retained message for all of its entities, as
/// https://www.home-assistant.io/integrations/mqtt/#device-discovery-payload has it. Home Assistant 2024.11 and later read it.
struct HouseDevice: Sendable {
  let topics: HouseTopics
  let language: CareLanguage
  /// The version of this program.
  let version: String
  /// The address of the family's page; empty = none.
  let page: String
  /// The care plan; nil = none.
  var plan: HousePlan?

  private struct Payload: Encodable {
    let device: Device
    let origin: Origin
    let qos = 1
    let components: [String: Component]
  }

  private struct Device: Encodable {
    let identifiers: [String]
    let name = "Kith"
    let manufacturer = "Kith"
    let model = "Home agent"
    let swVersion: String
    let configurationUrl: String?
  }

  private struct Origin: Encodable {
    let name = "kith"
    let swVersion: String
  }

  /// An entity. Home Assistant ignores a key that it does not know in silence, so the keys are the properties here.
  struct Component: Encodable {
    let platform: String
    var name: String?
    var uniqueId: String?
    var defaultEntityId: String?
    var availabilityTopic: String?
    var stateTopic: String?
    var valueTemplate: String?
    var commandTopic: String?
    var commandTemplate: String?
    var jsonAttributesTopic: String?
    var jsonAttributesTemplate: String?
    var deviceClass: String?
    var entityCategory: String?
    var stateClass: String?
    var unitOfMeasurement: String?
    var icon: String?
    var options: [String]?
    var max: Int?
    var retain: Bool?
    var eventTypes: [String]?
    var automationType: String?
    var type: String?
    var subtype: String?
    var topic: String?
    var payload: String?

    init(_ platform: String) { self.platform = platform }
  }

  /// The message's text.
  var json: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.keyEncodingStrategy = .convertToSnakeCase
    let payload = Payload(
      device: Device(
        identifiers: ["kith_\(self.topics.id)"], swVersion: self.version,
        configurationUrl: self.page.isEmpty ? nil : self.page),
      origin: Origin(swVersion: self.version), components: self.components)
    return (try? encoder.encode(payload)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }

  private var components: [String: Component] {
    var components = self.sensors
    for (key, component) in self.controls { components[key] = component }
    for (key, component) in self.planned { components[key] = component }
    for state in ReminderNews.allCases { components["trigger_\(state.rawValue)"] = self.trigger(state) }
    return components
  }

  private var sensors: [String: Component] {
    var components: [String: Component] = [:]
    func add(
      _ key: String, _ platform: String, _ name: (String, String), _ value: String,
      _ change: (inout Component) -> Void = { _ in }
    ) {
      var component = self.entity(key, platform, name)
      component.stateTopic = self.topics.state
      component.valueTemplate = value
      change(&component)
      components[key] = component
    }
    func time(_ key: String) -> String { "{{ value_json.\(key) | default(none) }}" }
    add("problem", "binary_sensor", ("Problem", "問題"), "{{ 'ON' if value_json.problem is defined else 'OFF' }}") {
      $0.deviceClass = "problem"
      $0.entityCategory = "diagnostic"
      $0.jsonAttributesTopic = self.topics.state
      $0.jsonAttributesTemplate = "{{ {'reason': value_json.problem | default(none)} | tojson }}"
    }
    add("sync", "sensor", ("Synchronization", "同期"), "{{ value_json.sync }}") {
      $0.deviceClass = "enum"
      $0.options = HouseState.Sync.allCases.map(\.rawValue)
      $0.entityCategory = "diagnostic"
    }
    add("synced_at", "sensor", ("Last synchronized", "最終同期"), time("synced_at")) {
      $0.deviceClass = "timestamp"
      $0.entityCategory = "diagnostic"
    }
    add("today", "sensor", ("Care entries today", "今日の記録"), "{{ value_json.today }}") {
      $0.stateClass = "measurement"
      $0.unitOfMeasurement = self.language("entries", "件")
      $0.icon = "mdi:notebook-heart"
    }
    add("last_care", "sensor", ("Last care entry", "最後の記録"), time("last_care")) { $0.deviceClass = "timestamp" }
    for category in CareCategory.allCases {
      let (english, japanese) = ("Last: \(category.english.lowercased())", "最後の\(category.japanese)")
      add("last_\(category.rawValue)", "sensor", (english, japanese), time("last.\(category.rawValue)")) {
        $0.deviceClass = "timestamp"
      }
    }
    add("due", "sensor", ("Reminders due", "未対応のリマインダー"), "{{ value_json.due }}") { $0.stateClass = "measurement" }
    add("next_reminder", "sensor", ("Next reminder", "次のリマインダー"), time("next_reminder")) {
      $0.deviceClass = "timestamp"
    }
    return components
  }

  private var controls: [String: Component] {
    var components: [String: Component] = [:]
    func button(_ key: String, _ command: String, _ name: (String, String), _ icon: String) {
      components[key] = self.button(key, command, name, icon)
    }
    for category in CareCategory.allCases where category != .freeMemo {
      // A button records what was done; it does nothing to a patient.
      button(
        "care_\(category.rawValue)", HouseCommand.name(of: category), Self.given(category), Self.icon(category))
    }
    button("undo", "undo", ("Undo last entry", "直前の記録を取り消す"), "mdi:undo")
    button("done", "done", ("Reminder done", "リマインダー完了"), "mdi:bell-check")
    button("snooze", "snooze", ("Remind me later", "あとで通知"), "mdi:bell-sleep")
    button("skip", "skip", ("Skip plan reminder", "予定をスキップ"), "mdi:bell-cancel")
    var memo = self.entity("memo", "text", ("Care memo", "介護メモ"))
    memo.commandTopic = self.topics.command(HouseCommand.nameOfMemo)
    memo.commandTemplate = Press.textTemplate
    memo.retain = false
    memo.max = 255
    components["memo"] = memo
    var daily = self.entity("daily", "switch", ("Daily reminder", "毎日のリマインダー"))
    daily.commandTopic = self.topics.command("daily")
    daily.stateTopic = self.topics.state
    daily.valueTemplate = "{{ 'ON' if value_json.daily else 'OFF' }}"
    daily.retain = false
    daily.entityCategory = "config"
    components["daily"] = daily
    var reminder = self.entity("reminder", "event", ("Reminder", "リマインダー"))
    reminder.stateTopic = self.topics.reminder
    reminder.eventTypes = ReminderNews.allCases.map(\.rawValue)
    components["reminder"] = reminder
    return components
  }

  private func trigger(_ news: ReminderNews) -> Component {
    var component = Component("device_automation")
    component.automationType = "trigger"
    component.type = "reminder"
    component.subtype = news.rawValue
    component.topic = self.topics.reminder
    component.valueTemplate = "{{ value_json.event_type }}"
    component.payload = news.rawValue
    return component
  }

  /// A button, each press of which says when it was.
  func button(_ key: String, _ command: String, _ name: (String, String), _ icon: String) -> Component {
    var component = self.entity(key, "button", name)
    component.commandTopic = self.topics.command(command)
    component.commandTemplate = Press.template
    component.retain = false
    component.icon = icon
    return component
  }

  func entity(_ key: String, _ platform: String, _ name: (String, String)) -> Component {
    var component = Component(platform)
    component.name = self.language(name.0, name.1)
    component.uniqueId = "kith_\(self.topics.id)_\(key)"
    component.defaultEntityId = "\(platform).kith_\(key)"
    component.availabilityTopic = self.topics.availability
    return component
  }

  private static func given(_ category: CareCategory) -> (String, String) {
    switch category {
    case .medication: ("Medication given", "服薬を記録")
    case .meal: ("Meal eaten", "食事を記録")
    case .toileting: ("Toileting done", "排泄を記録")
    case .medicalVisit: ("Medical visit made", "通院を記録")
    case .freeMemo: ("Memo", "メモを記録")
    }
  }

  private static func icon(_ category: CareCategory) -> String {
    switch category {
    case .medication: "mdi:pill"
    case .meal: "mdi:food"
    case .toileting: "mdi:toilet"
    case .medicalVisit: "mdi:hospital-building"
    case .freeMemo: "mdi:note-text"
    }
  }
}

/// What happens to a reminder, as Home Assistant hears it.
enum ReminderNews: String, Sendable, CaseIterable {
  case due, snoozed, done, missed

  /// nil for a state that is no news.
  init?(_ state: ReminderState) {
    switch state {
    case .due: self = .due
    case .snoozed: self = .snoozed
    case .done, .satisfied: self = .done
    case .missed: self = .missed
    case .waiting, .removed: return nil
    }
  }
}

/// The topics of one household at the broker.
///
/// Every client of a broker may read every topic, so nothing in them names a person.
struct HouseTopics: Sendable, Hashable {
  /// The household's id: 8 hex digits.
  let id: String
  /// The prefix under which Home Assistant looks for devices.
  let discovery: String

  private var base: String { "kith/\(self.id)" }

  /// `online` or `offline`; retained.
  var availability: String { "\(self.base)/status" }
  /// That the device is offline.
  var offline: Broker.Message { Broker.Message(self.availability, "offline", isRetained: true) }
  /// The state of the household as JSON; retained.
  var state: String { "\(self.base)/state" }
  /// Reminders as they come due, are done, and are missed; not retained, or Home Assistant would take an old one for a new one.
  var reminder: String { "\(self.base)/event/reminder" }
  /// What became of a press of an item of the care plan; not retained either.
  var plan: String { "\(self.base)/event/plan" }
  /// The description of the device; retained.
  var device: String { "\(self.discovery)/device/kith_\(self.id)/config" }
  /// Where Home Assistant says that it has started; the first is its own choice, whatever its prefix.
  var births: Set<String> { ["homeassistant/status", "\(self.discovery)/status"] }
  /// All commands.
  var commands: String { "\(self.base)/do/#" }

  /// The topic of a command.
  func command(_ name: String) -> String { "\(self.base)/do/\(name)" }

  /// The name of a command; nil for another topic.
  func name(ofCommand topic: String) -> String? {
    let prefix = self.command("")
    return topic.hasPrefix(prefix) ? String(topic.dropFirst(prefix.count)) : nil
  }
}
