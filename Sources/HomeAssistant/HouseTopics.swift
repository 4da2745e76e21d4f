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
  /// The state of the household as JSON; retained.
  var state: String { "\(self.base)/state" }
  /// Reminders as they come due, are done, and are missed; not retained, or Home Assistant would take an old one for a new one.
  var reminder: String { "\(self.base)/event/reminder" }
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
