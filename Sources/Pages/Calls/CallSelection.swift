internal import Bus
internal import CivilTime
internal import KithMessages

/// Which calls a page is about, as the query of its address says.
///
/// ```swift
/// let selection = CallSelection { ["emotion": "sad", "from": "2026-11-01"][$0] }
/// selection.address("/calls")  // "/calls?emotion=sad&from=2026-11-01"
/// ```
struct CallSelection: Sendable {
  private static let names = ["text", "person", "emotion", "tag", "from", "to"]

  private var values: [String: String] = [:]

  /// Reads a query.
  init(_ query: (String) -> String?) {
    for name in Self.names { self.values[name] = query(name) ?? "" }
  }

  /// A parameter; empty = it does not restrict.
  subscript(name: String) -> String { self.values[name] ?? "" }

  /// Whether it restricts anything.
  var restricts: Bool { self.values.values.contains { !$0.isEmpty } }

  /// The same with another value.
  func with(_ name: String, _ value: String) -> CallSelection {
    var selection = self
    selection.values[name] = value
    return selection
  }

  /// The address of a page about these calls.
  ///
  /// - Parameter more: Further parameters.
  func address(_ path: String, _ more: KeyValuePairs<String, String> = [:]) -> String {
    let all = Self.names.map { ($0, self[$0]) } + more.map { ($0.key, $0.value) }
    let query = all.filter { !$0.1.isEmpty }.map { "\($0.0)=\(AddressText.encoded($0.1))" }.joined(separator: "&")
    return query.isEmpty ? path : "\(path)?\(query)"
  }

  /// The filter of the hub, days in the zone and the last one included.
  func filter(_ zone: Zone) -> CallFilter {
    var filter = CallFilter()
    filter.personID = self["person"]
    filter.emotion = self["emotion"]
    filter.tag = self["tag"]
    if let day = Day(self["from"]) { filter.from = .init(nanosecondsSince1970: zone.start(of: day)) }
    if let day = Day(self["to"]) { filter.to = .init(nanosecondsSince1970: zone.start(of: day.adding(days: 1))) }
    return filter
  }

  /// The form that selects, with its shortcuts.
  func form(_ path: String, _ view: PageView, hasText: Bool = true, several: Bool = false) -> HTML {
    let emotions = [("", view[.all])] + CallEmotion.allCases.map { ($0.rawValue, view[$0.name]) }
    let recent: [(Text, Int)] = [
      (Text("Last 7 days", "この7日間"), 7), (Text("Last 30 days", "この30日間"), 30), (Text("Last year", "この1年"), 365),
    ]
    let shortcuts = HTML(
      recent.map { name, days in
        let from = view.today.adding(days: 1 - days).description
        return "<a href=\"\(self.with("from", from).with("to", "").address(path))\">\(view[name])</a> "
      })
    let all: HTML = self.restricts ? "<a href=\"\(path)\">\(view[.all])</a>" : ""
    let text: HTML =
      hasText
      ? view.input(.search, "text", self["text"], type: "search", " data-test=\"search\" maxlength=\"200\"") : ""
    let person: HTML =
      self["person"].isEmpty ? "" : "<input type=\"hidden\" name=\"person\" value=\"\(self["person"])\">"
    let kept: HTML = several ? "<input type=\"hidden\" name=\"several\" value=\"1\">" : ""
    return """
      <form class="filter" method="get" action="\(path)" role="search">\(text)\(person)\(kept)\
      \(view.select(.feeling, "emotion", self["emotion"], emotions))\(view.input(.tag, "tag", self["tag"]))\
      \(view.input(Text("From", "開始日"), "from", self["from"], type: "date"))\
      \(view.input(Text("To", "終了日"), "to", self["to"], type: "date"))<button>\(view[.show])</button></form>
      <p class="links">\(shortcuts)\(all)</p>
      """
  }
}

extension Text {
  fileprivate static let tag = Text("Tag", "タグ")
}
