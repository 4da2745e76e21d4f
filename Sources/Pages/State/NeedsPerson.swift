public import Bus
internal import CivilTime
public import Findings
internal import KithMessages
public import SwiftProtobuf

/// What needs a person, the same as `kith status` says.
struct NeedsPerson: Sendable {
  private let findings: [Finding]
  private let view: PageView

  /// Takes the state of the hub, and asks for that of its backups.
  init(_ status: StatusReply, _ view: PageView, _ hub: some Port) async throws(Failure) {
    let backups = try await hub.askIfServed(ListBackupsRequest()) ?? BackupState()
    self.findings = StatusExamination(status, backups, PageReader(view: view)).needs
    self.view = view
  }

  /// Each thing with what an admin does about it; empty if nothing needs a person.
  var list: HTML {
    guard !self.findings.isEmpty else { return "" }
    let entries = HTML(
      self.findings.map { finding in
        let advice: HTML =
          self.view.role == .admin && !finding.advice.isEmpty ? "<br><code>\(finding.advice)</code>" : ""
        return "<li data-test=\"need\">\(finding.found)\(advice)</li>"
      })
    let who: HTML = self.view.role == .admin ? "" : "<p>\(self.view[.tellAdmin])</p>"
    return "<section class=\"card mark\"><h2>\(self.view[.needsYou])</h2><ul>\(entries)</ul>\(who)</section>"
  }

  /// One line that leads to the list; empty if nothing needs a person.
  var line: HTML {
    guard !self.findings.isEmpty else { return "" }
    return """
      <p class="mark" data-test="needs"><a href="/sync">\(self.view[.someNeed, ["count": "\(self.findings.count)"]])</a></p>
      """
  }
}

/// Findings as pages write them.
public struct PageReader: FindingReader {
  private let view: PageView

  /// Takes the page's language, clock and time zone.
  public init(view: PageView) { self.view = view }

  /// When the page is made.
  public var now: Google_Protobuf_Timestamp { Google_Protobuf_Timestamp(nanosecondsSince1970: self.view.now) }

  /// The text in the language of the page.
  public func callAsFunction(_ english: String, _ japanese: String) -> String { self.view[Text(english, japanese)] }

  /// The day and the time in the zone of the household.
  public func time(_ stamp: Google_Protobuf_Timestamp) -> String {
    let local = self.view.zone.local(at: stamp.nanosecondsSince1970)
    return "\(self.view.name(of: local.day)) \(local.time.description)"
  }

  /// How many days ago something was.
  public func relative(_ stamp: Google_Protobuf_Timestamp) -> String {
    guard stamp.seconds != 0 else { return self.view[.never] }
    return self.view.distance(to: self.view.zone.local(at: stamp.nanosecondsSince1970).day)
  }

  /// What went wrong, in the language of the page.
  public func sentence(_ failure: Failure) -> String { failure.read(in: self.view.language).message }
}

extension Text {
  fileprivate static let needsYou = Text("This needs somebody", "対応が必要です")
  fileprivate static let someNeed = Text("Something needs somebody: {count}", "対応が必要なものがあります: {count}件")
  fileprivate static let tellAdmin = Text(
    "Tell the person who looks after this server.", "このサーバーを管理している人に伝えてください。")
  fileprivate static let never = Text("never", "なし")
}
