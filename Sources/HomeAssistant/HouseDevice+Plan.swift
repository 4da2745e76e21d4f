internal import KithMessages

extension HouseDevice {
  /// The entities of the care plan and of what was measured. One that is not there any more is told as its platform alone, which takes
  /// it away; so nothing has to be kept of what was shown before.
  var planned: [String: Component] {
    guard let plan else { return [:] }
    var components: [String: Component] = [:]
    for (key, platform, make) in self.overview {
      components[key] = plan.isActive ? make(self.shown(key, platform.0, platform.1)) : Component(platform.0)
    }
    for item in plan.items {
      let (button, last) = ("plan_\(item.key)", "plan_\(item.key)_last")
      components[button] = Component("button")
      components[last] = Component("sensor")
      guard !item.isEnded else { continue }
      let (english, japanese) = (item.name ?? "Item \(item.number)", item.name ?? "項目\(item.number)")
      components[button] = self.button(
        button, HouseCommand.name(ofItem: item.key), ("\(english) given", "\(japanese)を実施"), "mdi:check-circle")
      var given = self.shown(last, "sensor", ("\(english): last given", "\(japanese)の最終実施"))
      given.valueTemplate = "{{ (value_json.plan | default({})).last['\(item.key)'] | default(none) }}"
      given.deviceClass = "timestamp"
      components[last] = given
    }
    for kind in HousePlan.kinds {
      for (key, component) in self.measured(kind, plan.values[kind.rawValue]) { components[key] = component }
    }
    return components
  }

  private typealias Overview = (key: String, of: (String, (String, String)), make: (Component) -> Component)

  private var overview: [Overview] {
    func state(_ key: String, _ value: String, _ change: @escaping (inout Component) -> Void) -> (Component) ->
      Component
    {
      { given in
        var component = given
        component.valueTemplate = "{{ (value_json.plan | default({})).\(key) | default(\(value)) }}"
        change(&component)
        return component
      }
    }
    return [
      ("plan_next", ("sensor", ("Next of the plan", "次の予定")), state("next", "none") { $0.deviceClass = "timestamp" }),
      ("plan_due", ("sensor", ("Due now", "実施時刻の予定")), state("due", "0") { $0.stateClass = "measurement" }),
      ("plan_missed", ("sensor", ("Missed today", "今日の未実施")), state("missed", "0") { $0.stateClass = "measurement" }),
      (
        "plan", ("event", ("Care plan", "ケア計画")),
        { given in
          var component = given
          component.stateTopic = self.topics.plan
          component.eventTypes = PlanNews.allCases.map(\.rawValue)
          return component
        }
      ),
    ]
  }

  /// The sensors of a kind: two for blood pressure. Classes of pressure and glucose are not used: Home Assistant would show other units, or
  /// does not know them before 2025.
  private func measured(_ kind: MeasurementKind, _ value: HousePlan.Value?) -> [String: Component] {
    let key = "measured_\(kind.rawValue)"
    let field = "(value_json.measured | default({})).\(kind.rawValue)"
    func sensor(_ key: String, _ name: (String, String), _ part: String) -> Component {
      guard let value else { return Component("sensor") }
      var component = self.shown(key, "sensor", name)
      component.valueTemplate = "{{ \(field).\(part) | default(none) }}"
      component.jsonAttributesTopic = self.topics.state
      component.jsonAttributesTemplate = "{{ {'at': \(field).at | default(none)} | tojson }}"
      component.unitOfMeasurement = Self.unit(value.unit)
      component.deviceClass = kind == .temperature ? "temperature" : kind == .weight ? "weight" : nil
      return component
    }
    let name = (kind.english.prefix(1).uppercased() + kind.english.dropFirst(), kind.japanese)
    guard kind == .bloodPressure else { return [key: sensor(key, name, "value")] }
    return [
      key: sensor(key, ("\(name.0), upper", "\(name.1)（上）"), "value"),
      "\(key)_lower": sensor("\(key)_lower", ("\(name.0), lower", "\(name.1)（下）"), "lower"),
    ]
  }

  /// As Home Assistant writes a unit; nil for none.
  private static func unit(_ unit: String) -> String? {
    switch unit {
    case "": nil
    case "/min": "bpm"
    case "ml": "mL"
    case "fl oz": "fl. oz."
    default: unit
    }
  }

  private func shown(_ key: String, _ platform: String, _ name: (String, String)) -> Component {
    var component = self.entity(key, platform, name)
    component.stateTopic = self.topics.state
    return component
  }
}
