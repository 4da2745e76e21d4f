internal import Bus
internal import CivilTime
internal import KithMessages
internal import SwiftProtobuf

/// What every page has around it: navigation, what waits to be sent, the state of the connection, and the words that scripts show.
///
/// ```swift
/// let html = Frame(view, style: css, scripts: "/files/0123456789abcdef/").html(shown, at: "0198c0de:care=12")
/// ```
public struct Frame: Sendable {
  private let view: PageView
  private let style: HTML
  private let scripts: String

  /// Makes a frame.
  ///
  /// - Parameters:
  ///   - style: The style sheet, which is in the page itself: a phone on a slow network draws it one answer earlier.
  ///   - scripts: The path of the folder of the scripts, with a slash at the end.
  public init(_ view: PageView, style: HTML, scripts: String) {
    self.view = view
    self.style = style
    self.scripts = scripts
  }

  /// A whole page.
  ///
  /// - Parameter position: The `id` of the last event before the page was made, in the streams that it follows; empty if unknown. A
  ///   script whose events begin elsewhere fetches the page again.
  public func html(_ shown: Shown, at position: String) -> HTML {
    """
    <!doctype html>
    <html lang="\(self.view.language.rawValue)"><head><meta charset="utf-8"><title>\(shown.title) – Kith</title>
    <meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
    <style>\(self.style)</style><link rel="manifest" href="/manifest.webmanifest">
    <link rel="icon" href="/files/icon.svg" type="image/svg+xml">
    \(HTML(Self.modules.map { "<link rel=\"modulepreload\" href=\"\(self.scripts)\($0).js\">" }))\
    <script type="module" src="\(self.scripts)app.js" data-worklet="\(self.scripts)recorder-worklet.js"></script></head>
    <body data-zone="\(self.view.zone.name)" data-language="\(self.view.language.rawValue)" data-device="\(self.view.device)" \
    data-role="\(self.view.role.rawValue)" data-streams="\(shown.streams.joined(separator: ","))" \
    data-position="\(position)" \
    data-made="\(Google_Protobuf_Timestamp(nanosecondsSince1970: self.view.now / 1_000_000_000 * 1_000_000_000).rfc3339)">
    <a class="skip" href="#page">\(self.view[.skip])</a>
    <nav aria-label="\(self.view[.navigation])"><ul>\(HTML(Shown.Part.allCases.map { self.link($0, shown.part) }))</ul></nav>
    <div id="state" role="status" data-test="sync-state"></div>
    <section id="waiting" data-test="pending" aria-label="\(self.view[.waiting])" hidden></section>
    <main id="page" tabindex="-1"><h1>\(shown.title)</h1>\(shown.main)</main>
    <template id="words">\(HTML(Self.scriptWords.map { "<span data-word=\"\($0.0)\">\(self.view[$0.1])</span>" }))</template>
    </body></html>

    """
  }

  /// What app.js imports, so that a browser asks for all of them at once. The worker of the pages keeps what a page names.
  private static let modules = [
    "form", "lists", "live", "photos", "push", "queue", "recorder", "sender", "store", "voice", "wav", "words", "zone",
  ]

  /// The names of all scripts that a page runs.
  public static let scripts = (Self.modules + ["app", "recorder-worklet"]).map { "\($0).js" }

  private func link(_ part: Shown.Part, _ current: Shown.Part) -> HTML {
    let mark: HTML = part == current ? " aria-current=\"page\"" : ""
    return "<li><a href=\"\(part.rawValue)\"\(mark)>\(self.view[part.name])</a></li>"
  }

  /// The words that scripts show, by name.
  static let scriptWords: [(String, Text)] = [
    ("waiting", Text("{count} not sent yet", "未送信 {count}件")),
    ("waiting-why", Text("They are kept on this device and sent by themselves.", "この端末に保存されています。つながると自動で送信されます。")),
    ("failed", Text("Not accepted: {reason}", "受け付けられませんでした：{reason}")),
    ("retry", Text("Send again", "もう一度送信")),
    ("discard", Text("Discard", "破棄")),
    ("undo", Text("Undo", "元に戻す")),
    ("saved", Text("Saved.", "保存しました。")),
    ("kept", Text("Saved on this device; it is sent when the house can be reached.", "この端末に保存しました。家につながると送信します。")),
    ("offline", Text("No connection to the house. This page is as of {time}.", "家につながりません。{time}時点の内容です。")),
    ("hub-away", Text("The house does not answer at the moment.", "家のKithが応答していません。")),
    ("live", Text("Connected", "接続中")),
    (
      "signed-out",
      Text(
        "This device is signed out. What waits is still on it; join again to send it.",
        "この端末の登録は解除されました。未送信の記録は端末に残っています。もう一度登録すると送信されます。")
    ),
    (
      "leave-later",
      Text("Not signed out: the house cannot be reached. Try again later.", "家につながらないため、解除できませんでした。あとでもう一度お試しください。")
    ),
    (
      "leave-loses",
      Text(
        "{count} entries were not sent yet. Signing out discards them. Sign out?",
        "未送信の記録が{count}件あります。解除すると失われます。解除しますか？")
    ),
    (
      "no-storage",
      Text(
        "This browser keeps nothing on the device. Write only while the house can be reached.",
        "このブラウザは端末に保存できません。家につながっているときだけ記録してください。")
    ),
    (
      "recording-full",
      Text(
        "This device could not keep any more. What was said until then is kept; write down the rest.",
        "この端末にはこれ以上保存できませんでした。そこまでの録音は残っています。続きはメモに書いてください。")
    ),
    (
      "files-gone",
      Text(
        "Its sound or pictures are no longer on this device.", "録音または写真がこの端末に残っていません。")
    ),
    (
      "microphone-denied",
      Text(
        "The browser may not use the microphone. Allow it in the settings of this page; memos work without it.",
        "マイクの使用が許可されていません。ページの設定で許可してください。メモはそのまま使えます。")
    ),
    ("microphone-absent", Text("This device has no microphone.", "この端末にはマイクがありません。")),
    (
      "microphone-insecure",
      Text(
        "Browsers give the microphone to encrypted pages alone. On the hub: kith web setup",
        "ブラウザは暗号化されたページにだけマイクを許可します。ハブで kith web setup を実行してください。")
    ),
    (
      "microphone-old",
      Text(
        "This browser cannot record sound. Memos work; a newer browser can speak as well.",
        "このブラウザでは録音できません。メモはそのまま使えます。新しいブラウザなら話して記録できます。")
    ),
    (
      "photo-unreadable",
      Text(
        "{name} is no picture that this browser can read. Choose a JPEG, PNG or WebP.",
        "{name} はこのブラウザで読める写真ではありません。JPEG、PNG、WebP を選んでください。")
    ),
    (
      "photo-many",
      Text(
        "A call has {most} pictures at most. Save these, and add others to another call.",
        "写真は1回の電話に{most}枚までです。残りは別の電話に追加してください。")
    ),
    ("photo-remove", Text("Take picture {number} away", "写真{number}を外す")),
    ("photo-removed", Text("The picture was taken away.", "写真を外しました。")),
    ("photo-needed", Text("Choose or take a picture first.", "先に写真を選ぶか撮影してください。")),
    ("recording", Text("Recording: {seconds} s", "録音中：{seconds}秒")),
    (
      "recording-limit", Text("A recording has five minutes at most. It was stopped and kept.", "録音は5分までです。停止して保存しました。")
    ),
    (
      "recording-interrupted", Text("A recording was interrupted. What was said is kept.", "録音が中断されました。そこまでの音声は残っています。")
    ),
    (
      "push-ready",
      Text(
        "A message is shown when a reminder is due. It says nothing of care to others.", "予定の時刻に通知します。ケアの内容は外部に送られません。")
    ),
    ("push-is-on", Text("Reminders are shown on this device.", "この端末に通知します。")),
    (
      "push-denied",
      Text(
        "The browser may not show messages. Allow it in the settings of this page.",
        "通知が許可されていません。ページの設定で許可してください。")
    ),
    (
      "push-failed",
      Text(
        "The browser's push service was not reached. Try again later, or add an ntfy channel.",
        "ブラウザの通知サービスにつながりません。後でもう一度試すか、ntfyの送り先を追加してください。")
    ),
    ("recording-sent", Text("Sent. The text follows.", "送信しました。文字になるまでお待ちください。")),
  ]
}

extension Shown.Part {
  fileprivate var name: Text {
    switch self {
    case .today: Text("Today", "今日")
    case .calls: Text("Calls", "電話")
    case .people: Text("People", "人")
    case .more: Text("More", "その他")
    }
  }
}

extension Text {
  fileprivate static let skip = Text("To the content", "本文へ")
  fileprivate static let navigation = Text("Parts", "メニュー")
  fileprivate static let waiting = Text("Not sent yet", "未送信")
}
