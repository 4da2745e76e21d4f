/// The label of a phone number, address, date or other value: what it is used for.
///
/// ```swift
/// card.phones.first { $0.label.canonical == "mobile" }?.value
/// ```
public struct Label: Sendable, Hashable {
  /// The source of a label, in falling order of authority.
  public enum Authority: String, Sendable {
    /// X-ABLabel of the same group (Apple).
    case groupLabel
    /// A custom parameter or TYPE word (Synology, Android, X-LABEL).
    case customType
    /// Known TYPE words, or the property itself.
    case typeWords
    /// No label.
    case none
  }

  /// The custom label or Apple's token, verbatim; nil if there are only known TYPE words or none.
  public var raw: String?
  /// A token such as `mobile`, `home`, `homeFAX`, or the custom text; nil without a label.
  public var canonical: String?
  /// The TYPE words in upper case, sorted, without PREF.
  public var types: [String]
  /// 1 is the most preferred (PREF of RFC 6350 5.3, X-PREF in what Kith writes as 3.0; TYPE=PREF is 1); nil without a
  /// preference.
  public var preference: Int?
  /// The source of ``canonical``.
  public var authority: Authority

  package init(
    raw: String? = nil, canonical: String? = nil, types: [String] = [], preference: Int? = nil,
    authority: Authority = .none
  ) {
    self.raw = raw
    self.canonical = canonical
    self.types = types
    self.preference = preference
    self.authority = authority
  }
}

extension Card {
  /// The label of a property.
  ///
  /// - Parameters:
  ///   - property: A property of this card.
  ///   - fallback: The token implied by the property's name, such as `spouse` for X-SPOUSE.
  func label(of property: Property, fallback: String? = nil) -> Label {
    var label = Label()
    var custom: String?
    for range in ParameterScanner(property.line, in: storage) {
      if range.name.isEmpty || storage.matches("TYPE", in: range.name) {
        let parameter = Parameter(range, in: storage, isLegacy: property.isLegacy)
        guard parameter.name == "TYPE" else { continue }
        for value in parameter.values {
          for word in LabelWords.split(value) { add(word, to: &label, custom: &custom) }
        }
      } else if storage.matches("PREF", in: range.name) || storage.matches("X-PREF", in: range.name) {
        let value = String(decoding: storage[storage.unquoted(range.value)], as: UTF8.self)
        label.preference = Int(value).flatMap { 1...100 ~= $0 ? $0 : nil }
      } else if storage.matches("X-LABEL", in: range.name) {
        custom = Parameter.values(range.value, in: storage, isLegacy: property.isLegacy).joined(separator: ",")
      }
    }
    if label.types.count > 1 { label.types.sort() }
    if let text = companions(of: property, named: "X-ABLABEL")?.text.trimmed, !text.isEmpty {
      label.raw = text
      label.canonical = LabelWords.unwrapToken(text)
      label.authority = .groupLabel
    } else if let custom, !custom.isEmpty {
      label.raw = custom
      label.canonical = custom
      label.authority = .customType
    } else if let token = LabelWords.token(for: label.types) ?? fallback {
      label.canonical = token
      label.authority = .typeWords
    }
    return label
  }

  private func add(_ word: String, to label: inout Label, custom: inout String?) {
    let upper = word.uppercasedASCII
    if upper == "PREF" {
      label.preference = label.preference ?? 1
    } else if !upper.isEmpty, label.types.count < limits.parameters, !label.types.contains(upper) {
      label.types.append(upper)
      if custom == nil, !LabelWords.isKnown(upper) { custom = LabelWords.unwrapCustom(word) }
    }
  }
}
