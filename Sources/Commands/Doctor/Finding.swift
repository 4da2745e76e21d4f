/// One thing that `kith doctor` looked at.
struct Finding: Sendable, Encodable {
  /// Whether something is to be done.
  enum State: String, Sendable, Encodable {
    /// Nothing.
    case good
    /// Worth a look, but nothing is lost meanwhile.
    case look
    /// A person is needed.
    case bad
  }

  /// What is looked at, in the order of the report.
  enum Subject: String, Sendable, Encodable {
    case kithd, versions, configuration, folders, database, clock, network, keys, sources, monica, workers
    case transcription, converter, channels, web, backup
  }

  let subject: Subject
  let state: State
  /// What was found, in a sentence.
  let found: String
  /// What to do next; empty if nothing.
  let advice: String

  init(_ subject: Subject, _ state: State, _ found: String, advice: String = "") {
    self.subject = subject
    self.state = state
    self.found = Printable.text(found)
    self.advice = Printable.text(advice)
  }
}

extension Finding {
  /// The finding as lines: the state, the subject and what was found, with what to do below.
  func lines(_ say: Language, _ style: Style) -> [String] {
    let state =
      switch self.state {
      case .good: style.good(Self.padded(say("good", "良好"), 6))
      case .look: style.notice(Self.padded(say("look", "確認"), 6))
      case .bad: style.bad(Self.padded(say("bad", "要対応"), 6))
      }
    let head = "\(state)  \(Self.padded(say(self.subject.rawValue, self.subject.japanese), 14))  \(self.found)"
    return [head] + (self.advice.isEmpty ? [] : [String(repeating: " ", count: 24) + "→ \(self.advice)"])
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
