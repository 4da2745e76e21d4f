internal import KithMessages

/// Shows reminders on the desktop of whoever runs the daemon.
public struct DesktopNotifier: Sendable {
  private let send: @Sendable (_ title: String, _ text: String) async -> Void
  private let isJapanese: Bool

  /// Makes a notifier.
  ///
  /// - Parameters:
  ///   - isJapanese: Whether what people read is in Japanese; else in English.
  ///   - send: Shows a notification, and does nothing where there is no desktop.
  public init(isJapanese: Bool, send: @escaping @Sendable (_ title: String, _ text: String) async -> Void) {
    self.isJapanese = isJapanese
    self.send = send
  }

  func show(_ reminder: Reminder) async {
    switch (reminder.kind, self.isJapanese) {
    case ("call", true): await self.send("電話: \(reminder.title)", reminder.note)
    case ("call", false): await self.send("Call \(reminder.title)", reminder.note)
    case (_, true): await self.send("介護記録", "本日の介護の記録を入力してください。")
    case (_, false): await self.send("Care log", "Please record today's care.")
    }
  }
}
