/// Fields of forms with their labels.
extension PageView {
  /// A field of one line.
  func input(_ label: Text, _ name: String, _ value: String = "", type: String = "text", _ attributes: HTML = "")
    -> HTML
  {
    "<label>\(self[label]) <input type=\"\(type)\" name=\"\(name)\" value=\"\(value)\"\(attributes)></label>"
  }

  /// A field of several lines.
  func area(_ label: Text, _ name: String, _ value: String = "", _ attributes: HTML = "") -> HTML {
    "<label>\(self[label]) <textarea name=\"\(name)\" rows=\"3\"\(attributes)>\(value)</textarea></label>"
  }

  /// A choice of one of several.
  ///
  /// - Parameter choices: Values and their names.
  func select(
    _ label: Text, _ name: String, _ value: String, _ choices: [(value: String, name: String)],
    _ attributes: HTML = ""
  ) -> HTML {
    self.select(label, name, all: [value], choices, attributes)
  }

  /// A choice of several; of one unless the attributes say otherwise.
  func select(
    _ label: Text, _ name: String, all values: [String], _ choices: [(value: String, name: String)],
    _ attributes: HTML
  ) -> HTML {
    let options = HTML(
      choices.map { choice in
        let selected: HTML = values.contains(choice.value) ? " selected" : ""
        return "<option value=\"\(choice.value)\"\(selected)>\(choice.name)</option>"
      })
    return "<label>\(self[label]) <select name=\"\(name)\"\(attributes)>\(options)</select></label>"
  }

  /// A mark to set.
  func check(_ label: Text, _ name: String, _ isSet: Bool, value: String = "true") -> HTML {
    let checked: HTML = isSet ? " checked" : ""
    return """
      <label class="choice"><input type="checkbox" name="\(name)" value="\(value)"\(checked)><span>\(self[label])</span></label>
      """
  }

  /// The button to speak. It needs script and an encrypted page, which its own words say otherwise.
  ///
  /// - Parameter attributes: Where the sound belongs, for anything but an entry of care: `data-path`, `data-message`, `data-noted`.
  func voice(_ attributes: HTML = "") -> HTML {
    """
    <form class="voice"\(attributes)><button type="button" class="record" data-test="record" aria-pressed="false" hidden>\
    \(self[.speak])</button><button type="button" class="stop" data-test="stop" hidden>\(self[.stop])</button>\
    <meter class="level" min="0" max="1" value="0" aria-label="\(self[.level])" hidden></meter>\
    <output class="seconds"></output></form>
    """
  }

  /// A link to the next part of a list; nothing at its end.
  func more(_ path: String, _ parameters: KeyValuePairs<String, String>, cursor: String) -> HTML {
    guard !cursor.isEmpty else { return "" }
    let query = (parameters.map { ($0.key, $0.value) } + [("cursor", cursor)]).filter { !$0.1.isEmpty }
      .map { "\($0.0)=\(AddressText.encoded($0.1))" }.joined(separator: "&")
    return self.next("\(path)?\(query)")
  }

  /// A link to the next part of a list, which scripts follow when somebody scrolls to it.
  func next(_ address: String) -> HTML {
    "<p class=\"next\"><a class=\"button\" href=\"\(address)\">\(self[.more])</a></p>"
  }
}

/// Text in addresses.
enum AddressText {
  /// A value of a query, by RFC 3986, 2.3.
  static func encoded(_ text: String) -> String {
    text.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
        return String(Unicode.Scalar(byte))
      default: return "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }.joined()
  }
}

extension Text {
  fileprivate static let speak = Text("Speak", "話して記録")
  fileprivate static let stop = Text("Stop", "停止")
  fileprivate static let level = Text("Loudness", "音量")
}
