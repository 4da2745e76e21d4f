internal import ArgumentParser
internal import KithMessages

extension CallEmotion: Worded {
  func words(_ say: Language) -> String { say(self.english.lowercased(), self.japanese) }

  /// The face with its name; an unknown name, from a newer kithd, unchanged.
  static func text(_ name: String, _ say: Language) -> String {
    CallEmotion(rawValue: name).map { "\($0.face) \($0.words(say))" } ?? name
  }

  /// The face alone; an unknown name, from a newer kithd, unchanged.
  static func face(_ name: String) -> String { CallEmotion(rawValue: name)?.face ?? name }
}

/// How a call felt, as it is typed: in English, in Japanese, as a face, or none, which clears an earlier emotion.
struct EmotionArgument: ExpressibleByArgument, Sendable {
  static let help: ArgumentHelp = "How it felt."
  private static let none = "none"

  static var allValueStrings: [String] {
    CallEmotion.allCases.map { $0.words(.ofLocale) } + [Language.ofLocale(self.none, "なし")]
  }

  static var defaultCompletionKind: CompletionKind { .list(self.allValueStrings) }

  /// The value of the field; empty = none.
  let field: String

  init?(argument: String) {
    let typed = CallEmotion.allCases.first { $0.face == argument }?.rawValue ?? CallEmotion.name(typed: argument)
    let emotion = CallEmotion(rawValue: typed)
    guard emotion != nil || [Self.none, "なし"].contains(typed) else { return nil }
    self.field = emotion?.rawValue ?? ""
  }
}
