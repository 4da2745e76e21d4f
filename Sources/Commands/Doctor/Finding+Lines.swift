internal import Findings
internal import Help

extension Finding {
  /// The finding as lines: the state, the subject and what was found, with what to do below.
  func lines(_ say: Language, _ console: Console) -> [String] {
    let style = console.style
    let state =
      switch self.state {
      case .good: style.good(Self.padded(say("good", "良好"), 6))
      case .look: style.notice(Self.padded(say("look", "確認"), 6))
      case .bad: style.bad(Self.padded(say("bad", "要対応"), 6))
      }
    let head = "\(state)  \(Self.padded(say(self.subject.rawValue, self.subject.japanese), 14))  "
    let found = Self.column(Printable.text(self.found), console)
    let advice = self.advice.isEmpty ? [] : Self.column("→ \(Printable.text(self.advice))", console)
    return found.prefix(1).map { head + $0.dropFirst(Self.indent) } + found.dropFirst() + advice
  }

  private static let indent = 24

  /// A text in the column of what was found.
  private static func column(_ text: String, _ console: Console) -> [String] {
    Columns.folded(String(repeating: " ", count: Self.indent) + text, to: console.columns ?? .max)
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    Printable.padded(text, to: width, alignment: .left)
  }
}

extension Finding.Subject {
  fileprivate var japanese: String {
    switch self {
    case .kithd: "kithd"
    case .versions: "バージョン"
    case .configuration: "設定"
    case .folders: "フォルダー"
    case .database: "データベース"
    case .clock: "時計"
    case .network: "ネットワーク"
    case .keys: "鍵"
    case .sources: "連絡先"
    case .monica: "Monica"
    case .workers: "ワーカー"
    case .transcription: "文字起こし"
    case .converter: "音声の変換"
    case .channels: "送り先"
    case .web: "kith-web"
    case .backup: "バックアップ"
    }
  }
}
