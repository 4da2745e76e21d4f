/// A JSON value whose members keep their order, so that what is generated is the same each time.
indirect enum JSONText {
  case text(String)
  case number(Int)
  case flag(Bool)
  case list([JSONText])
  case object([(String, JSONText)])

  static func texts(_ texts: [String]) -> JSONText { .list(texts.map(JSONText.text)) }

  /// The value on lines of at most 120 characters where it can be broken: a list or an object that fits stays on one.
  func written(indent: Int = 0, used: Int = 0) -> String {
    let plain = self.line
    if indent + used + plain.count <= 118 { return plain }
    let blanks = String(repeating: " ", count: indent)
    switch self {
    case .list(let values):
      let lines = values.map { "\(blanks)  \($0.written(indent: indent + 2))" }
      return "[\n\(lines.joined(separator: ",\n"))\n\(blanks)]"
    case .object(let members):
      let lines = members.map { name, value in
        let head = "\(Self.quoted(name)): "
        return "\(blanks)  \(head)\(value.written(indent: indent + 2, used: head.count))"
      }
      return "{\n\(lines.joined(separator: ",\n"))\n\(blanks)}"
    case .text, .number, .flag: return plain
    }
  }

  /// The value without a blank that it does not need.
  var compact: String {
    switch self {
    case .list(let values): "[\(values.map(\.compact).joined(separator: ","))]"
    case .object(let members): "{\(members.map { "\(Self.quoted($0)):\($1.compact)" }.joined(separator: ","))}"
    case .text, .number, .flag: self.line
    }
  }

  private var line: String {
    switch self {
    case .text(let text): Self.quoted(text)
    case .number(let number): "\(number)"
    case .flag(let flag): "\(flag)"
    case .list(let values): "[\(values.map(\.line).joined(separator: ", "))]"
    case .object(let members): "{\(members.map { "\(Self.quoted($0)): \($1.line)" }.joined(separator: ", "))}"
    }
  }

  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": quoted += "\\\(scalar)"
      case _ where scalar.value < 0x20:
        let hex = String(scalar.value, radix: 16)
        quoted += "\\u\(String(repeating: "0", count: 4 - hex.count))\(hex)"
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
