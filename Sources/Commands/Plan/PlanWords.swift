internal import KithMessages

extension PlanKind: Worded {
  func words(_ say: Language) -> String {
    switch self {
    case .medicine: say("medicine", "薬")
    case .meal: say("meal", "食事")
    case .drink: say("drink", "飲み物")
    case .exercise: say("exercise", "運動")
    case .visit: say("visit", "受診")
    case .other: say("other", "その他")
    }
  }
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

extension PlanState: Worded {
  func words(_ say: Language) -> String {
    switch self {
    case .active: say("active", "実施中")
    case .paused: say("paused", "休止中")
    case .ended: say("ended", "終了")
    }
  }
}

extension Weekday: Worded {
  func words(_ say: Language) -> String {
    switch self {
    case .mon: say("Mon", "月")
    case .tue: say("Tue", "火")
    case .wed: say("Wed", "水")
    case .thu: say("Thu", "木")
    case .fri: say("Fri", "金")
    case .sat: say("Sat", "土")
    case .sun: say("Sun", "日")
    }
  }
}
