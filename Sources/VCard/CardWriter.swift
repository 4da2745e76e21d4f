/// Writes cards as vCard 3.0 or 4.0: UTF-8, escaped, folded, with pictures inline.
///
/// What the reader's views gave before, they give after: labels of a person's own become X-ABLabel, PREF, dates without a year
/// and groups take the form of the version, and everything else goes through.
public struct CardWriter: Sendable {
  private let version: Version
  private let names: [String: String]

  /// Makes a writer.
  ///
  /// - Parameter version: 3.0 or 4.0; 2.1 is written as 3.0.
  public init(version: Version = .v4_0) {
    self.version = version == .v2_1 ? .v3_0 : version
    names = Self.names(for: self.version)
  }

  /// The bytes of a card, from BEGIN to END with CRLF at the end of each line.
  public func bytes(of card: Card) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(card.storage.count + 256)
    LineFolder.append(Array("BEGIN:VCARD".utf8), to: &output)
    LineFolder.append(Array("VERSION:\(version.rawValue)".utf8), to: &output)
    if !card.properties(named: "FN").contains(where: { !$0.text.trimmed.isEmpty }) {
      write(Property("FN", value: .text(card.formattedName ?? "")), to: &output)
    }
    if version == .v3_0, card.property(named: "N") == nil {
      write(Property("N", value: .components([[], [], [], [], []])), to: &output)
    }
    var groups = GroupNames(of: card)
    for property in card.properties {
      guard !property.isNamed("FN") || !property.text.trimmed.isEmpty else { continue }
      write(property, of: card, groups: &groups, to: &output)
    }
    LineFolder.append(Array("END:VCARD".utf8), to: &output)
    return output
  }

  private func write(_ property: Property, to output: inout [UInt8]) {
    LineFolder.append(property.bytes, to: &output)
  }

  /// Writes one property, and its label when that is the person's own.
  private func write(_ property: Property, of card: Card, groups: inout GroupNames, to output: inout [UInt8]) {
    let label = card.label(of: property)
    let isCustom = label.authority == .customType && Self.labeled.contains(property.name)
    let group = isCustom ? property.group ?? groups.next() : property.group
    let name = names[property.name] ?? property.name
    let parameters = parameters(of: property, label: label, withoutCustom: isCustom)
    let written =
      dataProperty(property, name: name, group: group, parameters: parameters)
      ?? dateProperty(property, name: name, group: group, parameters: parameters)
      ?? Property(name, group: group, parameters: parameters, value: value(of: property, limits: card.limits))
    write(written, to: &output)
    if isCustom, let text = label.raw {
      write(Property("X-ABLabel", group: group, value: .text(text)), to: &output)
    }
  }

  /// The properties whose unknown TYPE words are labels.
  private static let labeled: Set<String> = [
    "TEL", "EMAIL", "ADR", "URL", "IMPP", "RELATED", "X-ABRELATEDNAMES", "X-ABDATE",
  ]

  /// Names that are written otherwise than in upper case, or differ between the versions.
  private static func names(for version: Version) -> [String: String] {
    let apple = ["X-ABLABEL": "X-ABLabel", "X-ABSHOWAS": "X-ABShowAs"]
    let groups =
      version == .v4_0
      ? ["X-ADDRESSBOOKSERVER-KIND": "KIND", "X-ADDRESSBOOKSERVER-MEMBER": "MEMBER"]
      : ["KIND": "X-ADDRESSBOOKSERVER-KIND", "MEMBER": "X-ADDRESSBOOKSERVER-MEMBER"]
    return apple.merging(groups) { $1 }
  }

  private func parameters(of property: Property, label: Label, withoutCustom: Bool) -> [Parameter] {
    var result: [Parameter] = []
    for parameter in property.parameters {
      switch parameter.name {
      case "ENCODING", "CHARSET", "PREF":
        continue
      case "X-LABEL" where withoutCustom:
        continue
      case "TYPE":
        let words = parameter.values.flatMap(LabelWords.split).filter { word in
          let upper = word.uppercasedASCII
          return !upper.isEmpty && upper != "PREF" && !(withoutCustom && !LabelWords.isKnown(upper))
        }
        if !words.isEmpty { result.append(Parameter("TYPE", words)) }
      default:
        result.append(parameter)
      }
    }
    if let preference = label.preference {
      result.append(
        version == .v3_0 && preference == 1 ? Parameter("TYPE", "PREF") : Parameter("PREF", String(preference)))
    }
    return result
  }

  private func value(of property: Property, limits: Limits) -> PropertyValue {
    switch property.name {
    case "N": .components(property.components)
    case "ADR", "ORG": .components(property.fields.map { [$0] })
    case "NICKNAME", "CATEGORIES": .list(property.list)
    case "AGENT":
      Card(agent: property, limits: limits).map { .text(String(decoding: bytes(of: $0), as: UTF8.self)) }
        ?? .text(property.text)
    case "FN", "NOTE", "TITLE", "ROLE", "LABEL", "X-ABLABEL", "X-ABRELATEDNAMES", "X-PHONETIC-FIRST-NAME",
      "X-PHONETIC-MIDDLE-NAME", "X-PHONETIC-LAST-NAME", "X-PHONETIC-ORG":
      .text(property.text)
    default: .raw(property.rawText)
    }
  }

  /// A picture, sound or key that is inline, in the form of the version; nil for any other property.
  private func dataProperty(_ property: Property, name: String, group: String?, parameters: [Parameter]) -> Property? {
    guard ["PHOTO", "LOGO", "SOUND", "KEY"].contains(name),
      case .base64(let range)? = InlineContent(property.line, in: property.bytes),
      let data = Base64.decode(property.bytes, in: range)
    else { return nil }
    let isDeclared = property.line.traits.contains(.base64) || property.rawText.uppercasedASCII.hasPrefix("DATA:")
    guard let mediaType = ImageSignature.mediaType(of: data) ?? (isDeclared ? claimedMediaType(property) : nil)
    else { return nil }
    var parameters = parameters.filter { $0.name != "VALUE" && $0.name != "MEDIATYPE" }
    if version == .v4_0 {
      parameters.removeAll { $0.name == "TYPE" }
      return Property(name, group: group, parameters: parameters, value: .data(data, mediaType: mediaType))
    }
    let subtype = mediaType.split(separator: "/").last.map { String($0).uppercasedASCII } ?? "OCTET-STREAM"
    parameters.removeAll { $0.name == "TYPE" }
    parameters.insert(contentsOf: [Parameter("ENCODING", "b"), Parameter("TYPE", subtype)], at: 0)
    let text = String(decoding: Base64.encode(data), as: UTF8.self)
    return Property(name, group: group, parameters: parameters, value: .raw(text))
  }

  private func claimedMediaType(_ property: Property) -> String {
    let text = property.rawText
    if text.uppercasedASCII.hasPrefix("DATA:"), let end = text.firstIndex(where: { $0 == ";" || $0 == "," }) {
      let type = text[..<end].dropFirst(5)
      if type.contains("/") { return String(type) }
    }
    let family = ["SOUND": "audio", "KEY": "application"][property.name] ?? "image"
    return family + "/" + (property.value(ofParameter: "TYPE")?.lowercased() ?? "octet-stream")
  }

  /// A date with or without a year in the form of the version; nil for any other property and for other forms of dates.
  private func dateProperty(_ property: Property, name: String, group: String?, parameters: [Parameter]) -> Property? {
    guard ["BDAY", "ANNIVERSARY", "DEATHDATE", "X-ABDATE", "X-ANNIVERSARY"].contains(name),
      property.value(ofParameter: "CALSCALE") == nil
    else { return nil }
    let text = property.text.trimmed
    guard !text.utf8.contains(where: { $0.uppercasedASCII == UInt8(ascii: "T") || $0.isBlank }),
      var date = PartialDate(text), let month = date.month, date.day != nil
    else { return nil }
    if let omitted = property.value(ofParameter: "X-APPLE-OMIT-YEAR"), date.year.map(String.init) == omitted {
      date.year = nil
    }
    var parameters = parameters.filter { $0.name != "X-APPLE-OMIT-YEAR" }
    if version == .v4_0 {
      let basic = date.description
      let digits = basic.hasPrefix("--") ? "--" + basic.filter(\.isNumber) : basic.filter(\.isNumber)
      return Property(name, group: group, parameters: parameters, value: .raw(digits))
    }
    if date.year == nil, month > 0 {
      date.year = 1604
      parameters.append(Parameter("X-APPLE-OMIT-YEAR", "1604"))
    }
    return Property(name, group: group, parameters: parameters, value: .raw(date.description))
  }
}

/// Names for groups (`item1`, `item2`, ...) that a card does not use yet.
private struct GroupNames {
  private var number = 0
  private let used: Set<String>

  init(of card: Card) {
    used = Set(card.properties.compactMap { $0.group?.lowercased() })
  }

  mutating func next() -> String {
    repeat { number += 1 } while used.contains("item\(number)")
    return "item\(number)"
  }
}

extension Card {
  /// Makes a card of properties.
  ///
  /// - Parameters:
  ///   - version: 3.0 or 4.0.
  ///   - properties: All properties except BEGIN, VERSION and END, in their order.
  ///   - limits: The bounds on its parts.
  /// - Throws: ``CardFault`` when the card exceeds a limit.
  public init(version: Version = .v4_0, properties: [Property], limits: Limits = Limits()) throws(CardFault) {
    var bytes: [UInt8] = []
    LineFolder.append(Array("BEGIN:VCARD".utf8), to: &bytes)
    LineFolder.append(Array("VERSION:\(version.rawValue)".utf8), to: &bytes)
    for property in properties { LineFolder.append(property.standalone, to: &bytes) }
    LineFolder.append(Array("END:VCARD".utf8), to: &bytes)
    try self.init(bytes, limits: limits)
  }
}

extension Property {
  /// The property as one unfolded line of UTF-8 without an encoding.
  fileprivate var standalone: [UInt8] {
    guard line.number > 0 else { return bytes }
    let parameters = parameters.filter {
      $0.name != "CHARSET" && ($0.name != "ENCODING" || line.traits.contains(.base64))
    }
    return Property(name, group: group, parameters: parameters, value: .raw(rawText)).bytes
  }
}
