internal import ArgumentParser

/// How a call felt.
enum Emotion: String, ExpressibleByArgument, CaseIterable, Sendable {
  case happy, neutral, sad, frustrated, excited
  /// Takes away what was said before.
  case unsaid = "none"

  static let help: ArgumentHelp = "How it felt."

  /// The face of what a call says; text of a newer kithd as it is.
  static func face(_ text: String) -> String {
    switch Emotion(rawValue: text) {
    case .happy: "😊"
    case .neutral: "😐"
    case .sad: "😢"
    case .frustrated: "😤"
    case .excited: "🤩"
    case .unsaid, nil: text
    }
  }

  /// The face with its name.
  static func words(_ text: String) -> String {
    let face = self.face(text)
    return face == text ? text : "\(face) \(text)"
  }

  /// As a call holds it.
  var field: String { self == .unsaid ? "" : self.rawValue }
}
