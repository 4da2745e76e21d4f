extension Card {
  /// Phone numbers as written, without the `tel:` of a URI.
  public var phones: [LabeledValue] {
    labeled("TEL") { property in
      let text = property.text.trimmed
      return text.uppercasedASCII.hasPrefix("TEL:") ? String(text.dropFirst(4)).trimmed : text
    }
  }

  /// Email addresses as written, without the `mailto:` of a URI and the name before angle brackets.
  public var emails: [LabeledValue] {
    labeled("EMAIL") { Self.emailAddress($0.text.trimmed) }
  }

  /// The address in a value of EMAIL.
  static func emailAddress(_ text: String) -> String {
    let text = text.uppercasedASCII.hasPrefix("MAILTO:") ? String(text.dropFirst(7)) : text
    guard text.hasSuffix(">"), let open = text.lastIndex(of: "<") else { return text }
    return String(text[text.index(after: open)...].dropLast())
  }

  /// Web addresses.
  public var urls: [LabeledValue] {
    limited(
      labeled("URL") { $0.text.trimmed } + labeled("X-KADDRESSBOOK-BLOGFEED", fallback: "blog") { $0.text.trimmed })
  }

  /// Related persons: RELATED, Apple's X-ABRELATEDNAMES, the X- properties of other programs, Android's relations, and
  /// AGENT.
  public var relations: [LabeledValue] {
    var values: [LabeledValue] = []
    for name in ["RELATED", "X-RELATED", "X-ABRELATEDNAMES"] { values += labeled(name) { $0.text.trimmed } }
    for (name, token) in Self.relationNames { values += labeled(name, fallback: token) { $0.text.trimmed } }
    values += androidFields(.relation).map { field in
      LabeledValue(value: field.value, label: field.label, lineNumber: field.lineNumber)
    }
    for name in ["AGENT", "X-AGENT"] {
      values += labeled(name, fallback: "agent") { [limits] agent in
        Card(agent: agent, limits: limits)?.formattedName
          ?? (agent.line.traits.contains(.nested) ? "" : agent.text.trimmed)
      }
    }
    return limited(values)
  }

  /// Instant messages and social profiles: IMPP, SOCIALPROFILE (RFC 9554), and the X- properties of other programs.
  public var messaging: [MessagingAddress] {
    var found: [MessagingAddress] = []
    for name in ["IMPP", "X-IMPP", "SOCIALPROFILE", "X-SOCIALPROFILE"] {
      for property in properties(named: name) {
        let text = property.text.trimmed
        guard !text.isEmpty else { continue }
        found.append(messagingAddress(property, text: text, isProfile: !name.hasSuffix("IMPP")))
      }
    }
    for (name, service) in Self.messagingServices {
      for value in labeled(name, { $0.text.trimmed }) {
        found.append(
          MessagingAddress(service: service, user: value.value, label: value.label, lineNumber: value.lineNumber))
      }
    }
    return limited(found)
  }

  /// Postal addresses, with the LABEL properties that belong to them.
  public var addresses: [PostalAddress] {
    let printed = limited(properties(named: "LABEL")).map { (text: $0.text, types: label(of: $0).types) }
    return limited(properties(named: "ADR")).compactMap { property in
      var address = PostalAddress(components: property.fields)
      address.label = label(of: property)
      address.lineNumber = property.lineNumber
      address.subLocality = companions(of: property, named: "X-APPLE-SUBLOCALITY")?.text.nonEmpty
      address.subAdministrativeArea = companions(of: property, named: "X-APPLE-SUBADMINISTRATIVEAREA")?.text.nonEmpty
      address.countryCode =
        property.value(ofParameter: "CC")?.nonEmpty ?? companions(of: property, named: "X-ABADR")?.text.nonEmpty
      address.formatted =
        property.value(ofParameter: "LABEL").map(TextValue.unescapeParameter)?.nonEmpty
        ?? printed.first { $0.types == address.label.types }?.text.nonEmpty
      return address.isEmpty ? nil : address
    }
  }

  private func labeled(
    _ name: String, fallback: String? = nil, _ value: (Property) -> String
  ) -> [LabeledValue] {
    var found: [LabeledValue] = []
    forEachLine(named: name) { line in
      guard found.count < limits.valuesPerKind else { return }
      let property = Property(line, in: storage)
      let text = value(property)
      guard !text.isEmpty else { return }
      found.append(
        LabeledValue(value: text, label: label(of: property, fallback: fallback), lineNumber: property.lineNumber))
    }
    return found
  }

  private static let relationNames = [
    ("X-SPOUSE", "spouse"), ("X-EVOLUTION-SPOUSE", "spouse"), ("X-MANAGER", "manager"),
    ("X-EVOLUTION-MANAGER", "manager"), ("X-ASSISTANT", "assistant"), ("X-EVOLUTION-ASSISTANT", "assistant"),
    ("X-CHILDREN", "child"), ("X-EVOLUTION-CHILDREN", "child"), ("X-PARTNER", "partner"),
    ("X-EVOLUTION-PARTNER", "partner"), ("X-MS-SPOUSE", "spouse"), ("X-MS-MANAGER", "manager"),
    ("X-MS-ASSISTANT", "assistant"), ("X-MS-CHILD", "child"), ("X-WAB-SPOUSE_NAME", "spouse"),
    ("X-KADDRESSBOOK-X-SPOUSESNAME", "spouse"), ("X-KADDRESSBOOK-X-MANAGERSNAME", "manager"),
    ("X-KADDRESSBOOK-X-ASSISTANTSNAME", "assistant"),
  ]

  /// Services by the property that holds their accounts. The last two properties do not name a service.
  private static let messagingServices: [(String, String?)] = [
    ("X-AIM", "AIM"), ("X-ICQ", "ICQ"), ("X-JABBER", "Jabber"), ("X-SKYPE", "Skype"), ("X-SKYPE-USERNAME", "Skype"),
    ("X-QQ", "QQ"), ("X-MSN", "MSN"), ("X-YAHOO", "Yahoo"), ("X-GOOGLE-TALK", "Google Talk"),
    ("X-GTALK", "Google Talk"),
    ("X-GADUGADU", "Gadu-Gadu"), ("X-GROUPWISE", "GroupWise"), ("X-SAMETIME", "Sametime"), ("X-TWITTER", "Twitter"),
    ("X-WHATSAPP", "WhatsApp"), ("X-TELEGRAM", "Telegram"), ("X-SIGNAL", "Signal"), ("X-THREEMA", "Threema"),
    ("X-VIBER", "Viber"), ("X-WECHAT", "WeChat"), ("X-LINE", "LINE"), ("X-KAKAOTALK", "KakaoTalk"),
    ("X-MATRIX", "Matrix"), ("X-IRC", "IRC"), ("X-DISCORD", "Discord"), ("X-FACEBOOK", "Facebook"),
    ("X-FACEBOOK-MESSENGER", "Facebook"), ("X-INSTAGRAM", "Instagram"), ("X-LINKEDIN", "LinkedIn"),
    ("X-MASTODON", "Mastodon"), ("X-MS-IMADDRESS", nil), ("X-KADDRESSBOOK-X-IMADDRESS", nil),
  ]

  private func messagingAddress(_ property: Property, text: String, isProfile: Bool) -> MessagingAddress {
    let colon = text.firstIndex(of: ":")
    var label = label(of: property)
    var service = property.value(ofParameter: "X-SERVICE-TYPE") ?? property.value(ofParameter: "SERVICE-TYPE")
    if isProfile, service == nil, label.authority == .customType {
      // X-SOCIALPROFILE names its service as TYPE.
      service = label.raw
      (label.raw, label.canonical, label.authority) = (nil, nil, .none)
    }
    let user = property.value(ofParameter: "X-USER") ?? property.value(ofParameter: "USERNAME")
    let rest = colon.map { String(text[text.index(after: $0)...]) }
    return MessagingAddress(
      service: service?.nonEmpty ?? (isProfile ? nil : colon.map { String(text[..<$0]) }),
      user: user?.nonEmpty ?? (isProfile ? text : rest ?? text), uri: colon == nil ? nil : text, label: label,
      lineNumber: property.lineNumber)
  }
}

extension PostalAddress {
  /// Reads the components of ADR. A comma stays in its component, since most programs do not escape it.
  init(components: [String]) {
    func part(_ index: Int) -> String { index < components.count ? components[index] : "" }
    postOfficeBox = part(0)
    extended = part(1)
    street = part(2)
    locality = part(3)
    region = part(4)
    postalCode = part(5)
    country = part(6)
  }
}

extension TextValue {
  /// The text of a parameter, in which some programs escape line feeds as in a value.
  static func unescapeParameter(_ text: String) -> String { unescape(Array(text.utf8)[...]) }
}

extension Card {
  /// Reads the card in an AGENT property: lines of its own (vCard 2.1) or one escaped text (RFC 2426 3.5.4).
  init?(agent: Property, limits: Limits) {
    guard limits.nesting > 1 else { return nil }
    var inner = limits
    inner.nesting -= 1
    let bytes = agent.line.traits.contains(.nested) ? Array(agent.bytes[agent.line.value]) : Array(agent.text.utf8)
    guard Marker(of: 0..<min(bytes.count, bytes.firstIndex(where: \.isLineBreak) ?? bytes.count), in: bytes) == .begin,
      let card = try? Card(bytes, lineNumber: agent.lineNumber, limits: inner)
    else { return nil }
    self = card
  }
}

/// A value with its label: a phone number, email address, URL or similar.
///
/// ```swift
/// for phone in card.phones { print(phone.value, phone.label.canonical ?? "") }
/// ```
public struct LabeledValue: Sendable, Hashable {
  /// The value as text.
  public var value: String
  /// The label, which says what the value is for.
  public var label: Label
  /// The line of its property, counted from 1 in the whole input.
  public var lineNumber: Int
}

/// A postal address (ADR, RFC 6350 6.3.1) with Apple's additional parts.
///
/// ```swift
/// for address in card.addresses where !address.isEmpty { print(address.formatted ?? address.street) }
/// ```
public struct PostalAddress: Sendable, Hashable {
  /// Post office box.
  public var postOfficeBox = ""
  /// Apartment or suite.
  public var extended = ""
  /// Street and number, with line feeds between lines.
  public var street = ""
  /// City.
  public var locality = ""
  /// State or province.
  public var region = ""
  /// Postal code.
  public var postalCode = ""
  /// Country name.
  public var country = ""
  /// District of a city (X-APPLE-SUBLOCALITY).
  public var subLocality: String?
  /// County (X-APPLE-SUBADMINISTRATIVEAREA).
  public var subAdministrativeArea: String?
  /// ISO 3166 country code, as written (CC, X-ABADR).
  public var countryCode: String?
  /// The printed form (LABEL).
  public var formatted: String?
  /// The label, which says what the address is for.
  public var label = Label()
  /// The line of its property, counted from 1 in the whole input; 0 for an address that was not read from a card.
  public var lineNumber = 0

  /// Makes an empty address.
  public init() {}

  /// True if no part of ADR has a value and there is no printed form.
  public var isEmpty: Bool { formatted == nil && components.allSatisfy(\.isEmpty) }

  /// The seven components of ADR, in order.
  public var components: [String] {
    [postOfficeBox, extended, street, locality, region, postalCode, country]
  }
}

/// An instant messaging address, or a social network profile.
///
/// ```swift
/// for address in card.messaging { print(address.service ?? "", address.user) }
/// ```
public struct MessagingAddress: Sendable, Hashable {
  /// The service as the card names it, such as `Skype`; for a URI without a name, its scheme.
  public var service: String?
  /// The name of the account.
  public var user: String
  /// The address as a URI; nil if the card has none.
  public var uri: String?
  /// The label, which says what the address is for.
  public var label: Label
  /// The line of its property, counted from 1 in the whole input.
  public var lineNumber: Int
}
