extension PlanKind {
  /// The name for people, within a line.
  public var english: String { self.rawValue }

  /// The name for people in Japanese.
  public var japanese: String {
    switch self {
    case .medicine: "薬"
    case .meal: "食事"
    case .drink: "飲み物"
    case .exercise: "運動"
    case .visit: "受診"
    case .other: "その他"
    }
  }
}

extension PlanState {
  /// The name for people, within a line.
  public var english: String { self.rawValue }

  /// The name for people in Japanese.
  public var japanese: String {
    switch self {
    case .active: "実施中"
    case .paused: "休止中"
    case .ended: "終了"
    }
  }
}

extension Weekday {
  /// The name for people in three letters.
  public var english: String { self.rawValue.prefix(1).uppercased() + self.rawValue.dropFirst() }

  /// The name for people in Japanese, one character.
  public var japanese: String {
    switch self {
    case .mon: "月"
    case .tue: "火"
    case .wed: "水"
    case .thu: "木"
    case .fri: "金"
    case .sat: "土"
    case .sun: "日"
    }
  }
}

extension MeasurementKind {
  /// The name for people, within a line.
  public var english: String { self.rawValue.replacing("_", with: " ") }

  /// The name for people in Japanese.
  public var japanese: String {
    switch self {
    case .temperature: "体温"
    case .bloodPressure: "血圧"
    case .pulse: "脈拍"
    case .weight: "体重"
    case .oxygen: "酸素飽和度"
    case .glucose: "血糖"
    case .pain: "痛み"
    case .fluidIn: "水分摂取"
    case .fluidOut: "尿量"
    case .other: "その他"
    }
  }

  /// Whether what counts is the sum of a day.
  public var isSummed: Bool { self == .fluidIn || self == .fluidOut }
}

extension PlanItem {
  /// When it comes: `8:00 and 20:00 on Mon, Thu`, `every 8 hours`, `as needed`.
  public func when(_ say: CareLanguage) -> String {
    if self.asNeeded { return say("as needed", "必要時") }
    if self.everyHours > 0 {
      return say(self.everyHours == 1 ? "every hour" : "every \(self.everyHours) hours", "\(self.everyHours)時間ごと")
    }
    let groups = Dictionary(grouping: self.times, by: \.weekdays)
    return groups.sorted { ($0.key.count, $0.key.joined()) < ($1.key.count, $1.key.joined()) }.map { days, times in
      let clocks = times.map { $0.amount.isEmpty ? $0.time : "\($0.time) (\($0.amount))" }.sorted().joined(
        separator: ", ")
      let names = days.map { day in Weekday(rawValue: day).map { say($0.english, $0.japanese) } ?? day }.joined(
        separator: ", ")
      return days.isEmpty ? clocks : say("\(clocks) on \(names)", "\(names) \(clocks)")
    }.joined(separator: say("; ", "、"))
  }
}

extension MeasurementRecord {
  /// The value for people: `130/80 mmHg`.
  public var shownValue: String {
    self.value + (self.lower.isEmpty ? "" : "/\(self.lower)") + (self.unit.isEmpty ? "" : " \(self.unit)")
  }
}
