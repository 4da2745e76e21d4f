@testable import VCard

/// The meaning of a card, as bytes that stay equal when a program rewrites the card.
///
/// The version, the order of properties, folds, encodings, character sets, letter case of names and the forms of
/// labels, dates and pictures are ignored, and so are REV, PRODID, UID and server tags.
public enum SemanticForm {
  /// The bytes to be hashed.
  ///
  /// Each property is a list of fields with their lengths; the properties are sorted.
  static func bytes(of card: Card) -> [UInt8] {
    let entries = card.properties.compactMap { entry($0, of: card) }
    return entries.sorted { $0.lexicographicallyPrecedes($1) }.flatMap(\.self)
  }

  private static let ignored: Set<String> = ["REV", "PRODID", "UID", "X-ABLABEL", "X-ABUID", "X-GENERATOR"]

  private static let names = [
    "X-ADDRESSBOOKSERVER-KIND": "KIND", "X-ADDRESSBOOKSERVER-MEMBER": "MEMBER", "X-ANNIVERSARY": "ANNIVERSARY",
    "X-EVOLUTION-ANNIVERSARY": "ANNIVERSARY", "X-NICKNAME": "NICKNAME", "X-ABRELATEDNAMES": "RELATED", "X-IMPP": "IMPP",
  ]

  /// Parameters whose meaning is part of the label or the value.
  private static let resolved: Set<String> = [
    "TYPE", "PREF", "ENCODING", "CHARSET", "VALUE", "MEDIATYPE", "X-APPLE-OMIT-YEAR", "X-LABEL", "X-PREF",
  ]

  private static func entry(_ property: Property, of card: Card) -> [UInt8]? {
    let name = property.name
    guard !ignored.contains(name), !name.hasSuffix("ETAG") else { return nil }
    let value = value(of: property)
    guard value.contains(where: { !$0.isEmpty }) else { return nil }
    var fields = [Array((names[name] ?? name).utf8)]
    if !isData(property) {
      let label = card.label(of: property)
      fields.append(Array((label.canonical ?? "").utf8))
      fields.append(Array(label.types.filter { LabelWords.isTelling($0) }.joined(separator: ",").utf8))
      fields.append(Array(label.preference.map(String.init)?.utf8 ?? "".utf8))
    }
    for parameter in property.parameters.sorted(by: {
      ($0.name, $0.values.first ?? "") < ($1.name, $1.values.first ?? "")
    })
    where !resolved.contains(parameter.name) {
      fields.append(Array((parameter.name + "=" + parameter.values.joined(separator: ",")).utf8))
    }
    fields += companions(of: property, in: card)
    fields += value
    return fields.flatMap { Array("\($0.count):".utf8) + $0 } + [ASCII.lineFeed]
  }

  /// Properties that Apple connects to a property by its group, besides the label.
  private static func companions(of property: Property, in card: Card) -> [[UInt8]] {
    guard !property.line.group.isEmpty, !property.name.hasPrefix("X-AB"), !property.name.hasPrefix("X-APPLE-") else {
      return []
    }
    return ["X-ABADR", "X-APPLE-SUBLOCALITY", "X-APPLE-SUBADMINISTRATIVEAREA"].compactMap { name in
      card.companions(of: property, named: name).map { Array((name + "=" + $0.text.trimmed).utf8) }
    }
  }

  private static func isData(_ property: Property) -> Bool {
    ["PHOTO", "LOGO", "SOUND", "KEY"].contains(property.name)
  }

  private static func value(of property: Property) -> [[UInt8]] {
    if isData(property), case .base64(let range)? = InlineContent(property.line, in: property.bytes),
      let data = Base64.decode(property.bytes, in: range)
    {
      return [data]
    }
    func withoutScheme(_ text: String, _ scheme: String) -> String {
      text.uppercasedASCII.hasPrefix(scheme) ? String(text.dropFirst(scheme.utf8.count)) : text
    }
    let text = property.text.trimmed
    switch property.name {
    case "N", "ADR", "ORG":
      var fields = property.fields
      while fields.last?.isEmpty == true { fields.removeLast() }
      return fields.map { Array($0.utf8) }
    case "NICKNAME", "X-NICKNAME", "CATEGORIES":
      return property.list.map { Array($0.utf8) }
    case "TEL":
      return [Array(withoutScheme(text, "TEL:").utf8)]
    case "MEMBER", "X-ADDRESSBOOKSERVER-MEMBER":
      return [Array(withoutScheme(text, "URN:UUID:").utf8)]
    case "BDAY", "ANNIVERSARY", "X-ANNIVERSARY", "X-EVOLUTION-ANNIVERSARY", "X-ABDATE", "DEATHDATE":
      guard property.value(ofParameter: "CALSCALE") == nil, let date = property.date else { return [Array(text.utf8)] }
      return [Array(date.description.utf8)]
    default:
      return [Array(text.utf8)]
    }
  }
}
