extension CallEmotion {
  /// The name for people, at the beginning of a line.
  public var english: String {
    switch self {
    case .happy: "Happy"
    case .neutral: "Neutral"
    case .sad: "Sad"
    case .frustrated: "Frustrated"
    case .excited: "Excited"
    }
  }

  /// The name for people in Japanese.
  public var japanese: String {
    switch self {
    case .happy: "うれしい"
    case .neutral: "ふつう"
    case .sad: "悲しい"
    case .frustrated: "いらいら"
    case .excited: "わくわく"
    }
  }

  /// A face that shows it.
  public var face: String {
    switch self {
    case .happy: "😊"
    case .neutral: "😐"
    case .sad: "😢"
    case .frustrated: "😤"
    case .excited: "🤩"
    }
  }
}
