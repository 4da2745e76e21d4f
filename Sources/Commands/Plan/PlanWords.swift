internal import KithMessages

extension PlanKind: Worded {
  func words(_ say: Language) -> String { say(self.english, self.japanese) }
}

extension PlanState: Worded {
  func words(_ say: Language) -> String { say(self.english, self.japanese) }
}

extension Weekday: Worded {
  func words(_ say: Language) -> String { say(self.english, self.japanese) }
}

extension PlanForm: Worded {
  func words(_ say: Language) -> String {
    switch self {
    case .tablet: say("tablet", "錠剤")
    case .capsule: say("capsule", "カプセル")
    case .liquid: say("liquid", "水薬")
    case .drops: say("drops", "点眼・点鼻")
    case .injection: say("injection", "注射")
    case .inhaler: say("inhaler", "吸入")
    case .patch: say("patch", "貼り薬")
    case .ointment: say("ointment", "塗り薬")
    case .powder: say("powder", "粉薬")
    case .suppository: say("suppository", "坐薬")
    case .spray: say("spray", "スプレー")
    }
  }
}
