/// The vocabulary of labels: TYPE words of the standards, and Apple's tokens.
enum LabelWords {
  /// The token of a set of TYPE words; nil if they imply none.
  ///
  /// - Parameter types: Words in upper case.
  static func token(for types: [String]) -> String? {
    guard !types.isEmpty else { return nil }
    if types.contains("FAX") {
      return types.contains("HOME") ? "homeFAX" : types.contains("WORK") ? "workFAX" : "otherFAX"
    }
    for (word, token) in tokens where types.contains(word) { return token }
    return types.first { relations.contains($0) }.map { $0.lowercased() }
  }

  /// The words that are a token by themselves, the more specific first: a mobile phone at work is `mobile`.
  private static let tokens = [
    ("IPHONE", "iPhone"), ("APPLEWATCH", "Apple Watch"), ("CELL", "mobile"), ("PAGER", "pager"), ("MAIN", "main"),
    ("MAIN-NUMBER", "main"), ("SCHOOL", "school"), ("HOMEPAGE", "homePage"), ("HOME", "home"), ("WORK", "work"),
    ("CAR", "car"), ("OTHER", "other"),
  ]

  /// RFC 6350 6.6.6.
  private static let relations: Set<String> = [
    "CONTACT", "ACQUAINTANCE", "FRIEND", "MET", "CO-WORKER", "COLLEAGUE", "CO-RESIDENT", "NEIGHBOR", "CHILD", "PARENT",
    "SIBLING", "SPOUSE", "KIN", "MUSE", "CRUSH", "DATE", "SWEETHEART", "ME", "AGENT", "EMERGENCY",
  ]

  /// Words that are not custom labels: phones (RFC 2426 3.3.1, RFC 6350 6.4.1), mail systems (vCard 2.1), addresses,
  /// media, and other words that programs write.
  private static let silent: Set<String> = [
    "VOICE", "FAX", "MSG", "VIDEO", "BBS", "MODEM", "ISDN", "PCS", "TEXT", "TEXTPHONE", "TTY", "TDD", "SMS", "MMS",
    "INTERNET", "X400", "AOL", "APPLELINK", "ATTMAIL", "CIS", "EWORLD", "IBMMAIL", "MCIMAIL", "POWERSHARE", "PRODIGY",
    "TLX", "DOM", "INTL", "POSTAL", "PARCEL", "PERSONAL", "BUSINESS", "URI", "URL", "JPEG", "GIF", "PNG", "X509", "PGP",
    "WORLDPHONE", "HOME_FAX", "INLINE", "VCARD", "UTF-8", "QUOTED-PRINTABLE", "BASE64", "UNKNOWN", "X-INTERNET",
  ]

  private static let known = silent.union(relations).union(tokens.map(\.0))

  /// True if a TYPE word, in upper case, adds something to its property and label.
  static func isTelling(_ word: String) -> Bool {
    word != "VOICE" && word != "INTERNET" && word != "MSG" && isKnown(word)
  }

  /// True if a TYPE word, in upper case, is from a vocabulary and not a custom label.
  static func isKnown(_ word: String) -> Bool {
    known.contains(word) || word.hasPrefix("X-EVOLUTION")
      || word.hasPrefix("X-SERVICE")
  }

  /// True if a TYPE word, in upper case, is a place, which 4.0 allows for every property.
  static func isPlace(_ word: String) -> Bool { word == "HOME" || word == "WORK" }

  /// The words of a TYPE value. `"home,work"` in quotes is two words too, and some programs write `home,TYPE=work`.
  static func split(_ value: String) -> [String] {
    guard value.utf8.contains(ASCII.comma), !value.uppercasedASCII.hasPrefix("X-CUSTOM(") else { return [word(value)] }
    return value.utf8.split(separator: ASCII.comma).map { word(String(decoding: $0, as: UTF8.self)) }
  }

  private static func word(_ text: String) -> String {
    text.utf8.contains(ASCII.equals) && text.uppercasedASCII.hasPrefix("TYPE=")
      ? String(text.dropFirst(5)).trimmed : text.trimmed
  }

  /// A custom TYPE word without `X-`; Android writes `X-CUSTOM(CHARSET=...,ENCODING=QUOTED-PRINTABLE,text)`.
  static func unwrapCustom(_ word: String) -> String {
    guard word.uppercasedASCII.hasPrefix("X-") else { return word }
    guard word.uppercasedASCII.hasPrefix("X-CUSTOM("), word.hasSuffix(")") else { return String(word.dropFirst(2)) }
    let inner = word.dropFirst(9).dropLast()
    let pieces = inner.split(separator: ",", omittingEmptySubsequences: false)
    let settings = pieces.prefix {
      $0.uppercasedASCII.hasPrefix("CHARSET=") || $0.uppercasedASCII.hasPrefix("ENCODING=")
    }
    let text = Array(pieces.dropFirst(settings.count).joined(separator: ",").utf8)
    guard settings.contains(where: { $0.uppercasedASCII == "ENCODING=QUOTED-PRINTABLE" }) else {
      return String(decoding: text, as: UTF8.self)
    }
    return String(decoding: QuotedPrintable.decode(text, in: 0..<text.count), as: UTF8.self)
  }

  /// `_$!<Mobile>!$_` as `mobile`; a text that is not wrapped is a custom label and stays.
  static func unwrapToken(_ label: String) -> String {
    guard label.hasPrefix("_$!<"), label.hasSuffix(">!$_"), label.utf8.count > 8 else { return label }
    let name = String(label.dropFirst(4).dropLast(4))
    return appleTokens[name.uppercasedASCII] ?? name
  }

  /// A token as Apple writes it, `spouse` as `_$!<Spouse>!$_`; a word that Apple lacks stays.
  static func wrapToken(_ token: String) -> String {
    guard appleTokens[token.uppercasedASCII] == token else { return token }
    return "_$!<" + token.prefix(1).uppercased() + token.dropFirst() + ">!$_"
  }

  /// Apple's tokens by their name in upper case.
  private static let appleTokens = Dictionary(
    uniqueKeysWithValues: [
      "home", "work", "other", "school", "mobile", "main", "homeFAX", "workFAX", "otherFAX", "pager", "iPhone",
      "homePage", "anniversary", "assistant", "assistantPhone", "manager", "spouse", "partner", "father", "mother",
      "parent", "brother", "sister", "child", "friend",
    ].map { ($0.uppercasedASCII, $0) })
}

extension Substring {
  fileprivate var uppercasedASCII: String { String(self).uppercasedASCII }
}
