internal import Foundation
internal import KithMessages

/// A choice of `proto/` that is printed in words, and that is typed as it is printed: in either language.
protocol Worded: CaseIterable, RawRepresentable<String> {
  /// The word for it.
  func words(_ say: Language) -> String
}

extension Worded {
  /// The name in `proto/` of a choice as a person types it; text that is no choice, unchanged, which kithd refuses.
  static func name(typed text: String) -> String {
    let typed = Self.folded(text)
    let choice = Self.allCases.first { choice in
      [choice.rawValue, choice.words(.english), choice.words(.japanese)].contains { Self.folded($0) == typed }
    }
    return choice?.rawValue ?? text
  }

  private static func folded(_ text: String) -> String {
    text.precomposedStringWithCompatibilityMapping.lowercased().filter { !" _-".contains($0) }
  }
}

extension CareCategory: Worded {
  func words(_ say: Language) -> String { say(self.english.lowercased(), self.japanese) }
}

extension CareReview: Worded {
  func words(_ say: Language) -> String {
    switch self {
    case .nothing: say("none", "不要")
    case .needed: say("please check", "要確認")
    case .done: say("done", "確認済み")
    }
  }
}

extension ReminderKind: Worded {
  func words(_ say: Language) -> String {
    switch self {
    case .daily: say("daily", "毎日")
    case .call: say("call", "電話")
    case .person: say("person", "人")
    }
  }
}

extension DeliveryState: Worded {
  func words(_ say: Language) -> String {
    switch self {
    case .pending: say("waiting", "待機中")
    case .sending: say("being sent", "送信中")
    case .delivered: say("delivered", "送信済み")
    case .failed: say("failed", "失敗")
    case .unknown: say("may have arrived", "届いたか不明")
    case .discarded: say("discarded", "取り消し")
    }
  }
}
