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

extension GiftStatus: Worded {
  func words(_ say: Language) -> String { say(self.english, self.japanese) }
}

extension CommonName {
  /// The name of a gender or of a type in words; one of the server's own as it is.
  static func words(_ catalog: CatalogKind, _ name: String, _ say: Language) -> String {
    guard let common = self.find(catalog, name) else { return name }
    // Ways to reach somebody are called as they are typed.
    return say(catalog == .contactFieldType ? common.name : common.english, common.japanese)
  }
}

extension AddressBookLabel {
  /// A label in words; one of the household's own as it is.
  static func words(_ label: String, _ say: Language) -> String { say(label, self.japanese(label)) }

  /// Several labels.
  static func words(_ labels: [String], _ say: Language) -> String {
    labels.map { self.words($0, say) }.joined(separator: say(", ", "、"))
  }
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

extension SyncState: Worded {
  func words(_ say: Language) -> String {
    switch self {
    case .here: say("here", "この家だけ")
    case .pending: say("pending", "未送信")
    case .syncing: say("syncing", "送信中")
    case .synced: say("synced", "送信済み")
    case .failed: say("failed", "送信失敗")
    case .conflict: say("conflict", "競合")
    }
  }
}

extension ReminderKind: Worded {
  func words(_ say: Language) -> String {
    switch self {
    case .daily: say("daily", "毎日")
    case .call: say("call", "電話")
    case .person: say("person", "人")
    case .plan: say("plan", "予定")
    case .double: say("double", "二重")
    }
  }
}

extension ReminderState: Worded {
  func words(_ say: Language) -> String {
    switch self {
    case .waiting: say("waiting", "予定")
    case .due: say("due", "期限")
    case .snoozed: say("snoozed", "延期")
    case .done: say("done", "完了")
    case .missed: say("missed", "未通知")
    case .satisfied: say("satisfied", "記録あり")
    case .removed: say("removed", "削除")
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

extension JobState: Worded {
  func words(_ say: Language) -> String {
    switch self {
    case .queued: say("queued", "待機中")
    case .leased: say("running", "実行中")
    case .done: say("done", "完了")
    case .failed: say("failed", "失敗")
    case .dead: say("dead", "中断")
    case .unknown: say("outcome unknown", "結果不明")
    case .cancelled: say("cancelled", "取り消し")
    }
  }
}

extension JobWait: Worded {
  func words(_ say: Language) -> String {
    switch self {
    case .worker: say("a worker", "ワーカー")
    case .credit: say("a free worker", "ワーカーの空き")
    case .backoff: say("the next attempt", "次の実行")
    case .caller: say("its caller", "呼び出し元")
    }
  }
}

extension WorkerState: Worded {
  func words(_ say: Language) -> String {
    switch self {
    case .ready: say("ready", "待機中")
    case .draining: say("ending its work", "終了準備中")
    case .silent: say("silent", "応答なし")
    }
  }
}
