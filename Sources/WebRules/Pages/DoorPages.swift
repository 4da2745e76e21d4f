public import Bus
public import Pages

/// The pages that the door has itself: who this device is, and how it joins. They work without scripts and in any browser.
///
/// ```swift
/// let page = DoorPages(.english).pair(formCode: forms.code(for: seed), fault: "", .tls)
/// ```
public struct DoorPages: Sendable {
  private let language: PageLanguage
  private var words: PageWords { self.language.words }

  /// Makes pages in a language.
  public init(_ language: PageLanguage) { self.language = language }

  /// The first page of a browser that has not joined.
  ///
  /// - Parameter way: How this page travels.
  public func home(_ way: Caller.Way) -> HTML {
    self.page(
      "Kith",
      """
      <p>\(self.words.notPaired) <a href="/pair">\(self.words.pairLink)</a></p>\(self.protection(way))<p>\(self.words.about)</p>
      """)
  }

  /// A page that says why something failed.
  public func problem(_ failure: Failure) -> HTML {
    self.page(
      self.words.problemTitle,
      #"<p role="alert">\#(failure.read(in: self.language).message)</p><p><a href="/">\#(self.words.toFirstPage)</a></p>"#
    )
  }

  /// The page on which a device joins by a code.
  ///
  /// - Parameters:
  ///   - formCode: Of the form.
  ///   - fault: Why the last code did not work; empty = none was sent.
  public func pair(formCode: String, fault: String, _ way: Caller.Way) -> HTML {
    let alert: HTML = fault.isEmpty ? "" : #"<p role="alert" id="fault">\#(fault)</p>"#
    return self.page(
      self.words.pairTitle,
      """
      <p>\(self.words.pairHelp)</p>\(alert)
      <form method="post" action="/pair" id="pair"><input type="hidden" name="form" value="\(formCode)">
      <label for="code">\(self.words.code)</label>
      <input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" required maxlength="12" autofocus>
      <button>\(self.words.join)</button></form>
      \(way == .plain ? self.protection(way) : "")<script type="module" src="/files/pair.js"></script>
      """)
  }

  /// The page that says how a device is made to trust the own certificate authority.
  ///
  /// - Parameter fingerprint: For people to compare with what the device shows.
  public func authority(fingerprint: String) -> HTML {
    let steps = HTML(self.words.authoritySteps.map { "<dt>\($0.device)</dt><dd>\($0.steps)</dd>" })
    return self.page(
      self.words.authorityTitle,
      """
      <p>\(self.words.authorityHelp)</p>
      <p><a href="/ca.crt">\(self.words.authorityFile)</a> · <a href="/ca.mobileconfig">\(self.words.authorityProfile)</a></p>
      <dl>\(steps)</dl><p>\(self.words.authorityCompare)</p><p><code>\(fingerprint)</code></p>
      """)
  }

  /// The sentence for a form that was open for too long.
  public var formExpired: String { self.words.formExpired }

  private func protection(_ way: Caller.Way) -> HTML {
    guard way == .plain else { return way == .tls ? "<p>\(self.words.secure)</p>" : "" }
    let lines = HTML(self.words.insecureWhat.map { "<li>\($0)</li>" })
    return "<section><p>\(self.words.insecure)</p><ul>\(lines)</ul><p>\(self.words.insecureHow)</p></section>"
  }

  private func page(_ title: String, _ body: HTML) -> HTML {
    """
    <!doctype html>
    <html lang="\(self.language.rawValue)"><head><meta charset="utf-8"><title>\(title)</title>
    <meta name="viewport" content="width=device-width, initial-scale=1"><link rel="stylesheet" href="/files/door.css"></head>
    <body><main><h1>\(title)</h1>\(body)</main></body></html>

    """
  }
}
