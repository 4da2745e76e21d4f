extension VersionedCard {
  /// Fills a draft with the value of a property in the form of the version.
  func fill(_ draft: inout Draft, with property: Property) {
    switch draft.name {
    case "N": fillComponents(&draft, property.components, property)
    case "ADR": fillComponents(&draft, property.fields.map { [$0] }, property)
    case "ORG": draft.value = .components(property.fields.map { [$0] })
    case "NICKNAME", "CATEGORIES": draft.value = .list(property.list)
    case "AGENT", "X-AGENT": fillAgent(&draft, property)
    case "TEL": fillTelephone(&draft, property)
    case "EMAIL": fillEmail(&draft, property)
    case "URL", "SOURCE", "FBURL", "CALURI", "CALADRURI", "CAPURI", "ORG-DIRECTORY", "CONTACT-URI":
      draft.value = .uri(property.text.trimmed)
    case "IMPP", "SOCIALPROFILE", "MEMBER": fillAddress(&draft, property)
    case "RELATED", "X-RELATED": fillAddress(&draft, property)
    case "UID": fillAddress(&draft, property)
    case "GEO": fillPlace(&draft, property)
    case "TZ": fillZone(&draft, property)
    case "REV": fillRevision(&draft, property)
    case "PHOTO", "LOGO", "SOUND", "KEY": fillData(&draft, property)
    case _ where Self.dates.contains(draft.name): fillDate(&draft, property)
    case _ where Self.texts.contains(draft.name):
      draft.setKind(nil)
      draft.value = .text(property.text)
    default: fillUnknown(&draft, property)
    }
  }

  /// Properties with one text as value, by their names in either version.
  private static let texts: Set<String> = [
    "FN", "NOTE", "TITLE", "ROLE", "PRODID", "MAILER", "CLASS", "NAME", "PROFILE", "SORT-STRING", "LABEL", "LANG",
    "KIND",
    "EXPERTISE", "HOBBY", "INTEREST", "X-ABLabel", "X-ABRELATEDNAMES", "X-PHONETIC-FIRST-NAME",
    "X-PHONETIC-MIDDLE-NAME", "X-PHONETIC-LAST-NAME", "X-PHONETIC-ORG", "X-FN", "X-MAILER", "X-CLASS", "X-NAME",
    "X-PROFILE", "X-SORT-STRING", "X-LABEL",
  ]

  private func fillComponents(_ draft: inout Draft, _ components: [[String]], _ property: Property) {
    let count = componentCount(of: draft.name)
    var components = Array(components.prefix(count.upperBound))
    while components.count > count.lowerBound, components.last?.allSatisfy(\.isEmpty) == true {
      components.removeLast()
    }
    while components.count < count.lowerBound { components.append([]) }
    draft.value = .components(components)
    draft.setKind(nil)
    if draft.name == "N", version == .v4_0, let text = sortString {
      draft.parameters.append(Parameter("SORT-AS", text))
    }
    guard draft.name == "ADR" else { return }
    if version == .v4_0, let text = printedForm(of: property) {
      draft.parameters.append(Parameter("LABEL", text.replacing("\\", with: "\\\\")))
    } else if version == .v3_0, printedProperty(of: property) != nil {
      draft.parameters.removeAll { $0.name == "LABEL" }
    }
  }

  private func fillAgent(_ draft: inout Draft, _ property: Property) {
    let agent = Card(agent: property, limits: card.limits)
    // The first line of a truncated card would start a new card.
    if agent == nil, property.text.trimmed.uppercasedASCII.hasPrefix("BEGIN:") { draft.name = "X-AGENT" }
    draft.value = .text(
      agent.map { String(decoding: CardWriter(version: version).bytes(of: $0), as: UTF8.self) } ?? property.text)
    draft.setKind(agent == nil && property.text.isURI ? "uri" : nil)
  }

  /// 3.0 has the number as text; 4.0 may have a `tel:` URI.
  private func fillTelephone(_ draft: inout Draft, _ property: Property) {
    let text = property.text.trimmed
    let hasScheme = text.uppercasedASCII.hasPrefix("TEL:")
    let isURI = hasScheme && text.isURI && version == .v4_0
    draft.setKind(isURI ? "uri" : nil)
    draft.value = isURI ? .uri(text) : .text(hasScheme ? String(text.dropFirst(4)).trimmed : text)
  }

  /// Both versions have only the address; a name before it goes into another property.
  private func fillEmail(_ draft: inout Draft, _ property: Property) {
    let text = property.text.trimmed
    draft.setKind(nil)
    draft.value = .text(Card.emailAddress(text))
    guard text.hasSuffix(">"), let open = text.lastIndex(of: "<") else { return }
    let name = text[..<open].trimmingQuotes
    if !name.isEmpty { draft.parameters.append(Parameter("X-CN", name)) }
  }

  /// A URI, or in 4.0 a value marked as text. 3.0 has only URIs for IMPP, and a text for UID.
  private func fillAddress(_ draft: inout Draft, _ property: Property) {
    let text = property.text.trimmed
    let isURI = text.isURI
    draft.setKind(version == .v4_0 && !isURI ? "text" : nil)
    if draft.name == "IMPP", !isURI {
      draft.name = "X-IMPP"
      draft.setKind(nil)
    }
    draft.value = isURI ? .uri(text) : .text(text)
  }

  private func fillPlace(_ draft: inout Draft, _ property: Property) {
    draft.setKind(nil)
    guard let place = Coordinates(property.text) else {
      draft.name = property.text.isURI && version == .v4_0 ? "GEO" : "X-GEO"
      draft.value = .raw(property.rawText)
      return
    }
    draft.value = .raw(version == .v4_0 ? place.uri : "\(place.latitude);\(place.longitude)")
  }

  /// The offset of a zone is `-05:00` in 3.0 and `-0500` in 4.0; 3.0 treats a text as an offset unless it is marked as
  /// text.
  private func fillZone(_ draft: inout Draft, _ property: Property) {
    let text = property.text.trimmed
    let digits = text.filter { $0 != ":" }
    let isOffset =
      (digits.hasPrefix("+") || digits.hasPrefix("-")) && [3, 5].contains(digits.utf8.count)
      && digits.utf8.dropFirst().allSatisfy(\.isDigit)
    switch (isOffset, version) {
    case (true, .v4_0):
      draft.setKind("utc-offset")
      draft.value = .raw(digits)
    case (true, _):
      draft.setKind(nil)
      draft.value = .raw(digits.prefix(3) + ":" + (digits.utf8.count == 5 ? String(digits.suffix(2)) : "00"))
    case (false, .v4_0):
      draft.setKind(text.isURI ? "uri" : nil)
      draft.value = text.isURI ? .uri(text) : .text(text)
    case (false, _):
      draft.setKind("text")
      draft.value = .text(text)
    }
  }

  /// 3.0 takes a date or a time of ISO 8601; 4.0 takes only `19951031T222710Z`.
  private func fillRevision(_ draft: inout Draft, _ property: Property) {
    let text = property.text.trimmed
    draft.setKind(nil)
    draft.value = .raw(text)
    if version == .v4_0 {
      let basic = Timestamp(text)?.basic
      draft.value = .raw(basic ?? text)
      if basic == nil { draft.name = "X-REV" }
    } else if PartialDate(text) == nil {
      draft.name = "X-REV"
    }
  }

  /// Properties that neither version knows are kept; bytes take the form of the version.
  private func fillUnknown(_ draft: inout Draft, _ property: Property) {
    draft.value = .raw(property.rawText)
    guard property.line.traits.contains(.base64) else { return }
    guard version == .v4_0 else {
      draft.parameters.append(Parameter("ENCODING", "b"))
      draft.value = .raw(property.rawText.filter { !$0.isWhitespace })
      return
    }
    guard let data = Base64.decode(property.bytes, in: property.line.value) else { return }
    draft.setKind("uri")
    draft.value = .data(data, mediaType: ImageSignature.mediaType(of: data) ?? "application/octet-stream")
  }
}

/// A position as GEO has it: `37.38;-122.08` in 3.0, `geo:37.38,-122.08` in 4.0 (RFC 5870).
struct Coordinates {
  let latitude: Substring
  let longitude: Substring
  /// The URI, with its parameters.
  let uri: String
  /// True if it has only latitude and longitude.
  let isWhole: Bool

  init?(_ text: String) {
    let text = text.trimmed
    let isURI = text.uppercasedASCII.hasPrefix("GEO:")
    let parts = text.dropFirst(isURI ? 4 : 0).split(maxSplits: 2, omittingEmptySubsequences: false) {
      $0 == "," || $0 == ";"
    }
    guard parts.count >= 2, isURI || parts.count == 2, Double(parts[0]) != nil, Double(parts[1]) != nil else {
      return nil
    }
    (latitude, longitude, isWhole) = (parts[0], parts[1], parts.count == 2)
    uri = isURI ? text : "geo:\(latitude),\(longitude)"
  }
}

extension PropertyValue {
  /// A URI, safe for readers that treat it as text: a backslash, which no URI has, is escaped.
  static func uri(_ text: String) -> PropertyValue { .raw(text.replacing("\\", with: "\\\\")) }
}

extension String {
  /// True for a URI: a scheme, a colon, and no blank.
  var isURI: Bool {
    guard let colon = utf8.firstIndex(of: ASCII.colon), let first = utf8.first else { return false }
    let scheme = utf8[..<colon]
    return scheme.count > 1 && (first | 0x20) &- 0x61 < 26
      && scheme.allSatisfy { $0.isDigit || ($0 | 0x20) &- 0x61 < 26 || "+-.".utf8.contains($0) }
      && utf8.index(after: colon) < utf8.endIndex && !utf8.contains { $0 <= ASCII.space }
  }
}

extension Substring {
  /// The text without blanks and double quotes at its ends.
  fileprivate var trimmingQuotes: String {
    let text = String(self).trimmed
    return text.count > 1 && text.hasPrefix("\"") && text.hasSuffix("\"") ? String(text.dropFirst().dropLast()) : text
  }
}
