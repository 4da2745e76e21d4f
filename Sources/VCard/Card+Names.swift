extension Card {
  /// The name to show: FN, or else the first of N, ORG, NICKNAME, EMAIL and TEL that has one; nil if none has.
  ///
  /// If there are several FN, the most preferred one counts, then the first.
  public var formattedName: String? {
    let names = properties(named: "FN").filter { !$0.text.trimmed.isEmpty }
    let preferred = names.count < 2 ? names.first : names.min { preference($0) < preference($1) }
    if let name = preferred?.text.trimmed { return name }
    let name = structuredName.joined
    if !name.isEmpty { return name }
    if let name = organization.first(where: { !$0.isEmpty }) ?? nicknames.first { return name }
    return emails.first?.value ?? phones.first?.value
  }

  /// The parts of N. Parts beyond the fifth are only in ``properties``.
  public var structuredName: StructuredName {
    var name = StructuredName()
    guard let property = property(named: "N") else { return name }
    let parts = property.components.map { $0.filter { !$0.isEmpty } }
    func part(_ index: Int) -> [String] { index < parts.count ? parts[index] : [] }
    (name.family, name.given, name.additional, name.prefixes, name.suffixes) = (
      part(0), part(1), part(2), part(3), part(4)
    )
    return name
  }

  /// The reading (pronunciation) of the name: X-PHONETIC-*, SORT-AS of N, SOUND with X-IRMC-N, or SORT-STRING.
  public var phoneticName: PhoneticName {
    var name = PhoneticName()
    name.family = firstText("X-PHONETIC-LAST-NAME")
    name.given = firstText("X-PHONETIC-FIRST-NAME")
    name.middle = firstText("X-PHONETIC-MIDDLE-NAME")
    if name != PhoneticName() { return name }
    if let sortAs = property(named: "N")?.values(ofParameter: "SORT-AS"), !sortAs.isEmpty {
      let words = sortAs.flatMap(LabelWords.split)
      name.family = words.first?.nonEmpty
      name.given = words.dropFirst().first?.nonEmpty
    } else if let sound = (properties(named: "SOUND") + properties(named: "X-SOUND")).first(where: \.isReadingOfName) {
      let fields = sound.fields
      name.family = fields.first?.nonEmpty
      name.given = fields.dropFirst().first?.nonEmpty
      name.middle = fields.dropFirst(2).first?.nonEmpty
    } else {
      name.family =
        firstText("SORT-STRING") ?? firstText("X-SORT-STRING")
        ?? property(named: "N")?.value(ofParameter: "SORT-STRING")?.nonEmpty
    }
    return name
  }

  /// The family name before marriage (X-MAIDENNAME).
  public var previousFamilyName: String? { firstText("X-MAIDENNAME") }

  /// The nicknames of all NICKNAME and X-NICKNAME properties, and Android's.
  public var nicknames: [String] {
    limited(
      (properties(named: "NICKNAME") + properties(named: "X-NICKNAME")).flatMap(\.list)
        + androidFields(.nickname).map(\.value))
  }

  /// The organisation's name, then its units, without empty ones at the end; empty without ORG.
  ///
  /// KAddressBook writes the department in a property of its own.
  public var organization: [String] {
    var fields = property(named: "ORG")?.fields ?? []
    while fields.last?.isEmpty == true { fields.removeLast() }
    if fields.count == 1, let unit = firstText("X-KADDRESSBOOK-X-DEPARTMENT") { fields.append(unit) }
    return fields
  }

  /// The reading of the organisation's name (X-PHONETIC-ORG, or SORT-AS of ORG).
  public var phoneticOrganization: String? {
    firstText("X-PHONETIC-ORG") ?? property(named: "ORG")?.value(ofParameter: "SORT-AS")?.nonEmpty
  }

  /// The job title.
  public var title: String? { firstText("TITLE") }

  /// The function within the organisation, or KAddressBook's profession.
  public var role: String? { firstText("ROLE") ?? firstText("X-KADDRESSBOOK-X-PROFESSION") }

  /// All notes, joined with line feeds.
  public var note: String? {
    let notes = limited(properties(named: "NOTE").map(\.text.trimmed).filter { !$0.isEmpty })
    return notes.isEmpty ? nil : notes.joined(separator: "\n")
  }

  /// At most as many values as ``Limits/valuesPerKind`` allows.
  func limited<Value>(_ values: [Value]) -> [Value] {
    values.count > limits.valuesPerKind ? Array(values.prefix(limits.valuesPerKind)) : values
  }

  private func preference(_ property: Property) -> Int {
    label(of: property).preference ?? 101
  }
}

extension String {
  /// The text without white space at its ends; nil when nothing is left.
  var nonEmpty: String? {
    let text = trimmed
    return text.isEmpty ? nil : text
  }
}

extension Property {
  /// True if a SOUND holds the reading of the name, as Japanese phones write it, instead of a sound.
  var isReadingOfName: Bool { values(ofParameter: "TYPE").contains { $0.uppercasedASCII == "X-IRMC-N" } }
}

/// The parts of a person's name (N, RFC 6350 6.2.2); each part may have several values.
///
/// ```swift
/// let name = card.structuredName
/// print(name.family.first ?? "", name.given.first ?? "")
/// ```
public struct StructuredName: Sendable, Hashable {
  /// Family names, also known as surnames.
  public var family: [String] = []
  /// Given names.
  public var given: [String] = []
  /// Middle or other additional names.
  public var additional: [String] = []
  /// Honorific prefixes.
  public var prefixes: [String] = []
  /// Honorific suffixes.
  public var suffixes: [String] = []

  /// Makes an empty name.
  public init() {}

  /// True if no part has a value.
  public var isEmpty: Bool {
    family.isEmpty && given.isEmpty && additional.isEmpty && prefixes.isEmpty && suffixes.isEmpty
  }

  /// The parts in their usual order, joined with blanks.
  public var joined: String {
    (prefixes + given + additional + family + suffixes).joined(separator: " ")
  }
}

/// The reading (pronunciation) of a name, from any of the forms that programs write.
///
/// ```swift
/// print(card.phoneticName.family ?? "", card.phoneticName.given ?? "")
/// ```
public struct PhoneticName: Sendable, Hashable {
  /// The reading of the family name.
  public var family: String?
  /// The reading of the given name.
  public var given: String?
  /// The reading of the middle name.
  public var middle: String?

  /// Makes an empty name.
  public init() {}
}
