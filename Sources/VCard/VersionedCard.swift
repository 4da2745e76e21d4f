/// A card in the form of one version: the name, parameters and value of each property there.
///
/// The rules are those of RFC 2426 and RFC 6350. A property that the version lacks gets the prefix `X-`, and so does a
/// second one if the version allows one; a custom label becomes X-ABLabel in a group.
struct VersionedCard {
  /// A property while it is converted.
  struct Draft {
    var name: String
    var parameters: [Parameter]
    var value: PropertyValue

    /// Sets the kind of value; nil uses the property's default kind.
    mutating func setKind(_ kind: String?) {
      parameters.removeAll { $0.name == "VALUE" }
      if let kind { parameters.append(Parameter("VALUE", kind)) }
    }
  }

  let card: Card
  let version: Version
  private var groups: GroupNames
  /// The written names of properties that may occur once, with the ALTID by which several count as one (RFC 6350 5.4).
  private var written: [String: String] = [:]
  /// The line of the FN to keep if the version allows one.
  private let preferredName: Int?

  init(_ card: Card, version: Version) {
    self.card = card
    self.version = version
    groups = GroupNames(of: card)
    let name = card.formattedName
    preferredName = card.properties(named: "FN").first { $0.text.trimmed == name }?.lineNumber
  }

  /// Properties that the version requires and the card lacks.
  var opening: [Property] {
    var properties: [Property] = []
    if !card.properties(named: "FN").contains(where: { !$0.text.trimmed.isEmpty }) {
      properties.append(Property("FN", value: .text(card.formattedName ?? "")))
    }
    if version == .v3_0, card.property(named: "N") == nil {
      properties.append(Property("N", value: .components([[], [], [], [], []])))
    }
    return properties
  }

  /// The properties that express one property of the card.
  mutating func properties(for property: Property) -> [Property] {
    let name = property.name
    if name == "FN", property.text.trimmed.isEmpty { return [] }
    if property.isData, property.rawText.trimmed.isEmpty { return [] }
    if name == "LABEL", version == .v4_0, isPrintedFormOfAddress(property) { return [] }
    if name == "SORT-STRING", version == .v4_0, sortString != nil { return [] }
    if name == "SOUND", property.isReadingOfName { return reading(property) }
    let label = card.label(of: property)
    let isCustom = label.authority == .customType && Self.labeled.contains(name)
    var draft = Draft(
      name: self.name(for: property),
      parameters: parameters(of: property, label: label, without: isCustom ? label.raw : nil), value: .raw(""))
    fill(&draft, with: property)
    settle(&draft, property)
    var text = isCustom ? label.raw : nil
    if draft.name == "X-ABRELATEDNAMES", name == "RELATED", label.authority == .typeWords {
      text = label.canonical.map(LabelWords.wrapToken)
    }
    let group = text == nil ? property.group : property.group ?? groups.next()
    var result = [Property(draft.name, group: group, parameters: draft.parameters, value: draft.value)]
    if let text { result.append(Property("X-ABLabel", group: group, value: .text(text))) }
    return result + additions(to: property, draft) + longForm(of: property, draft)
  }

  /// The properties whose unknown TYPE words are labels.
  private static let labeled: Set<String> = [
    "TEL", "EMAIL", "ADR", "URL", "IMPP", "RELATED", "X-ABRELATEDNAMES", "X-ABDATE",
  ]

  // MARK: - Names

  /// The name in the version of a property that the version has.
  private func name(for property: Property) -> String {
    let name = Self.lawful[property.name] ?? property.name
    if let spelling = Self.spellings[name] { return spelling }
    switch version {
    case .v4_0:
      if Self.onlyInThree.contains(name) { return "X-" + name }
      return promoted(property) ?? name
    case .v2_1, .v3_0:
      if name == "X-AGENT", card.property(named: "AGENT") == nil { return "AGENT" }
      if name == "RELATED", property.text.isURI { return "X-RELATED" }
      return Self.inThree[name] ?? (Self.onlyInFour.contains(name) ? "X-" + name : name)
    }
  }

  /// The 4.0 name of an X- property, if no other property uses it.
  private func promoted(_ property: Property) -> String? {
    let name = property.name
    if name == "X-ABRELATEDNAMES" || name == "X-RELATED" { return "RELATED" }
    if name == "X-ADDRESSBOOKSERVER-MEMBER" { return property.text.isURI ? "MEMBER" : nil }
    let plain: String
    switch name {
    case "X-ADDRESSBOOKSERVER-KIND": plain = "KIND"
    case "X-BDAY", "X-DEATHDATE": plain = String(name.dropFirst(2))
    case "X-GENDER" where ["", "M", "F", "O", "N", "U"].contains(property.fields.first): plain = "GENDER"
    case _ where name != "ANNIVERSARY" && Card.anniversaryNames.contains(name): plain = "ANNIVERSARY"
    default: return nil
    }
    return card.property(named: plain) == nil && written[plain] == nil ? plain : nil
  }

  /// Adds `X-` to a second property if the version allows one.
  private mutating func settle(_ draft: inout Draft, _ property: Property) {
    if draft.name == "FN", version == .v3_0, property.lineNumber != preferredName { draft.name = "X-FN" }
    guard version == .v4_0 ? Self.onceInFour.contains(draft.name) : Self.onceInThree.contains(draft.name) else {
      return
    }
    let alternative = version == .v4_0 ? property.value(ofParameter: "ALTID") ?? "" : ""
    guard let first = written[draft.name] else {
      written[draft.name] = alternative
      return
    }
    if first != alternative || alternative.isEmpty { draft.name = "X-" + draft.name }
  }

  /// X- names that programs of 3.0 know.
  private static let inThree = [
    "KIND": "X-ADDRESSBOOKSERVER-KIND", "MEMBER": "X-ADDRESSBOOKSERVER-MEMBER", "RELATED": "X-ABRELATEDNAMES",
  ]

  /// Known names with an underscore, with their equivalents: no version allows the underscore, and other readers refuse
  /// the whole card for it.
  private static let lawful = ["X-WAB-SPOUSE_NAME": "X-SPOUSE", "X-WAB-WEDDING_ANNIVERSARY": "X-ANNIVERSARY"]

  /// Names that Apple's programs do not write in upper case, and names that are reserved.
  private static let spellings = [
    "X-ABLABEL": "X-ABLabel", "X-ABSHOWAS": "X-ABShowAs",
    // A fold hid the reserved name; written on one line it would start or end a card.
    "BEGIN": "X-BEGIN", "END": "X-END",
  ]

  /// RFC 6350, 6474, 6715, 8605 and 9554; without IMPP, which RFC 4770 added to 3.0.
  private static let onlyInFour: Set<String> = [
    "ANNIVERSARY", "BIRTHPLACE", "CLIENTPIDMAP", "CONTACT-URI", "CREATED", "DEATHDATE", "DEATHPLACE", "EXPERTISE",
    "GENDER", "GRAMGENDER", "HOBBY", "INTEREST", "JSPROP", "LANG", "LANGUAGE", "ORG-DIRECTORY", "PRONOUNS",
    "SOCIALPROFILE", "XML",
  ]

  /// RFC 6350, appendix A.2.
  private static let onlyInThree: Set<String> = ["AGENT", "CLASS", "LABEL", "MAILER", "NAME", "PROFILE", "SORT-STRING"]

  private static let onceInFour: Set<String> = [
    "ANNIVERSARY", "BDAY", "BIRTHPLACE", "DEATHDATE", "DEATHPLACE", "GENDER", "KIND", "N", "PRODID", "REV", "UID",
  ]

  private static let onceInThree: Set<String> = ["BDAY", "CLASS", "FN", "N", "PRODID", "REV", "SORT-STRING", "UID"]

  // MARK: - Parameters

  private func parameters(of property: Property, label: Label, without custom: String?) -> [Parameter] {
    var result: [Parameter] = []
    for parameter in property.parameters {
      switch parameter.name {
      case "ENCODING", "CHARSET", "PREF", "X-PREF": continue
      case "X-LABEL" where parameter.values.joined(separator: ",") == custom: continue
      case "TYPE":
        let words = parameter.values.flatMap(LabelWords.split).filter { word in
          !word.isEmpty && word.uppercasedASCII != "PREF" && (custom == nil || LabelWords.unwrapCustom(word) != custom)
        }
        if !words.isEmpty { result.append(Parameter("TYPE", words)) }
      default: result.append(parameter)
      }
    }
    guard let preference = label.preference else { return result }
    if version == .v4_0 {
      result.append(Parameter("PREF", String(preference)))
    } else if preference == 1, property.isContactValue {
      result.append(Parameter("TYPE", "PREF"))
    } else {
      result.append(Parameter("X-PREF", String(preference)))
    }
    return result
  }

  // MARK: - Addresses and readings

  /// The printed form of an address that lacks one; 4.0 has it as a parameter.
  func printedForm(of address: Property) -> String? {
    guard address.value(ofParameter: "LABEL") == nil else { return nil }
    let types = card.label(of: address).types
    return card.properties(named: "LABEL").first { card.label(of: $0).types == types }?.text.nonEmpty
  }

  private func isPrintedFormOfAddress(_ label: Property) -> Bool {
    card.properties(named: "ADR").contains { printedForm(of: $0) == label.text.nonEmpty }
  }

  /// The 3.0 LABEL for an address with a printed form; nil if it could be mistaken for that of another address.
  func printedProperty(of address: Property) -> String? {
    guard let text = address.value(ofParameter: "LABEL"), card.property(named: "LABEL") == nil else { return nil }
    let types = card.label(of: address).types
    guard card.properties(named: "ADR").count(where: { card.label(of: $0).types == types }) == 1 else { return nil }
    return TextValue.unescapeParameter(text).nonEmpty
  }

  /// The SORT-STRING that becomes SORT-AS of N; nil if there is another reading of the name, or no N.
  var sortString: String? {
    guard let text = card.property(named: "SORT-STRING")?.text.nonEmpty, !text.contains(","),
      let name = card.property(named: "N"), name.value(ofParameter: "SORT-AS") == nil,
      !(card.properties(named: "SOUND") + card.properties(named: "X-SOUND")).contains(where: \.isReadingOfName)
    else { return nil }
    return text
  }

  /// Converts a reading of the name stored in SOUND to the properties that today's phones read.
  private func reading(_ sound: Property) -> [Property] {
    let reading = card.phoneticName
    let names = [
      ("X-PHONETIC-LAST-NAME", reading.family), ("X-PHONETIC-FIRST-NAME", reading.given),
      ("X-PHONETIC-MIDDLE-NAME", reading.middle),
    ]
    let fields = sound.fields
    let isTheReading =
      card.property(named: "N")?.value(ofParameter: "SORT-AS") == nil
      && !names.contains { card.firstText($0.0) != nil } && fields.dropFirst(3).allSatisfy(\.isEmpty)
      && sound.lineNumber == card.properties(named: "SOUND").first(where: \.isReadingOfName)?.lineNumber
    guard isTheReading else {
      return [
        Property("X-SOUND", group: sound.group, parameters: [Parameter("TYPE", "X-IRMC-N")], value: .raw(sound.rawText))
      ]
    }
    return names.compactMap { name, text in text.map { Property(name, group: sound.group, value: .text($0)) } }
  }

  /// The parts of a property beyond its draft that have a property of their own in the version.
  private func additions(to property: Property, _ draft: Draft) -> [Property] {
    switch draft.name {
    case "ADR" where version == .v3_0:
      guard let text = printedProperty(of: property) else { return [] }
      let types = draft.parameters.filter { $0.name == "TYPE" }
      return [Property("LABEL", parameters: types, value: .text(text))]
    case "GEO" where version == .v3_0 && !(Coordinates(property.text)?.isWhole ?? true):
      return [Property("X-GEO", group: property.group, value: .raw(property.text))]
    default: return []
    }
  }

  /// All components of a name or an address if the version has no place for some of them.
  private func longForm(of property: Property, _ draft: Draft) -> [Property] {
    let rest: [String]
    switch draft.name {
    case "N", "ADR": rest = Array(property.fields.dropFirst(componentCount(of: draft.name).upperBound))
    default: return []
    }
    return rest.allSatisfy(\.isEmpty) ? [] : [Property("X-" + draft.name, value: .raw(property.rawText))]
  }

  /// The number of components of N and ADR; RFC 9554 added some to 4.0. In earlier cards those places mean something
  /// else.
  func componentCount(of name: String) -> ClosedRange<Int> {
    let isLong = version == .v4_0 && card.version == .v4_0
    return name == "N" ? 5...(isLong ? 7 : 5) : 7...(isLong ? 18 : 7)
  }
}

extension Property {
  /// True if 3.0 has TYPE=pref for it.
  fileprivate var isContactValue: Bool {
    ["TEL", "EMAIL", "ADR", "LABEL", "IMPP", "X-IMPP", "URL", "X-ABDATE", "X-ABRELATEDNAMES", "RELATED"].contains(name)
  }

  /// True if the value is a picture, a sound or a key.
  var isData: Bool { ["PHOTO", "LOGO", "SOUND", "KEY"].contains(name) }
}

/// Unused group names (`item1`, `item2`, ...) for a card.
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
