/// The rules of a field in words, for the service reference and the descriptions of the API.
extension Kith_V1_FieldRules {
  /// What a value must be, and what becomes of it: "required, at most 255 characters".
  ///
  /// - Parameters:
  ///   - isRepeated: Whether the field has several values.
  ///   - isNumber: Whether they are numbers.
  ///   - isOfRecord: Whether the field is one of a record, which is kept in a place and merged.
  func words(isRepeated: Bool, isNumber: Bool, isOfRecord: Bool) -> [String] {
    let each = isRepeated ? " each" : ""
    var words: [String] = []
    if self.readOnly { words.append("read-only") }
    if self.required { words.append("required") }
    if self.fixed { words.append("fixed after creation") }
    if isNumber {
      if self.min > 0 { words.append("at least \(self.min)") }
      if self.max > 0 { words.append("at most \(Self.grouped(self.max))") }
    } else if self.max > 0 {
      words.append("at most \(Self.grouped(self.max)) characters\(each)")
    }
    if self.maxBytes > 0 { words.append("at most \(Self.grouped(self.maxBytes)) bytes\(each)") }
    if self.maxItems > 0 { words.append("at most \(self.maxItems) entries") }
    if let format = self.format.words { words.append(format) }
    if !self.choices.isEmpty {
      let choices = self.choices.map { "`\($0)`" }.joined(separator: ", ")
      words.append(self.loose ? "one of \(choices); a request may have other words" : "one of \(choices)")
    }
    if self.past { words.append("not in the future") }
    if !self.catalog.isEmpty { words.append("a name of the catalog `\(self.catalog)`") }
    guard isOfRecord else { return words }
    switch self.place {
    case .hub: words.append("only on the hub")
    case .server:
      words.append("set by the server")
      if !self.follows.isEmpty {
        words.append("set again after a change of \(self.follows.map { "`\($0)`" }.joined(separator: ", "))")
      }
    case .derived: if self.readOnly { words.append("computed for the reply") }
    default: words.append("merged as `\(self.merge)`")
    }
    return words
  }

  private static func grouped(_ number: UInt32) -> String {
    number < 1000 ? "\(number)" : "\(number / 1000),\("00\(number % 1000)".suffix(3))"
  }
}

extension Kith_V1_FieldRules.Format {
  /// What a text of it is; nil for any.
  var words: String? {
    switch self {
    case .line: "one line"
    case .word: "letters, digits, `-` and `_`"
    case .name: "1 to 32 of `a-z`, `0-9` and `-`, not beginning with `-`"
    case .day: "`YYYY-MM-DD`"
    case .partialDay: "`YYYY-MM-DD`, `--MM-DD` or `~YYYY`"
    case .time: "`HH:MM`"
    case .amount: "a decimal such as `12.50`"
    case .country: "an ISO 3166 code of two letters"
    case .latitude: "decimal degrees from -90 to 90"
    case .longitude: "decimal degrees from -180 to 180"
    default: nil
    }
  }
}
