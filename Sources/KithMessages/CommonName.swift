/// A gender, or a type of contact field, activity or relationship, that every household has. A household without a Monica account
/// chooses among these; the names are those of a new account, so that a later login finds them on the server.
///
/// ```swift
/// let parent = CommonName.find(.relationshipType, "親")
/// print(parent?.name ?? "", parent?.reverse ?? "")  // parent child
/// ```
public struct CommonName: Sendable, Hashable {
  /// Which catalog it is of.
  public let catalog: CatalogKind
  /// The name in records: "uncle".
  public let name: String
  /// The name for people: "uncle or aunt".
  public let english: String
  /// The name for people in Japanese.
  public let japanese: String
  /// Of a contact field type "email" or "phone", of a gender "M", "F" or "O"; empty for others.
  public let type: String
  /// Of a relationship type: the name from the other side.
  public let reverse: String
  /// Of a relationship type: "family".
  public let group: String

  private init(
    _ catalog: CatalogKind, _ name: String, _ japanese: String, english: String? = nil, type: String = "",
    reverse: String = "", group: String = ""
  ) {
    self.catalog = catalog
    self.name = name
    self.english = english ?? name
    self.japanese = japanese
    self.type = type
    self.reverse = reverse
    self.group = group
  }

  /// The name as an entry of the catalog.
  public var entry: CatalogEntry {
    var entry = CatalogEntry()
    entry.catalog = self.catalog.rawValue
    entry.name = self.name
    entry.type = self.type
    entry.reverseName = self.reverse
    entry.group = self.group
    (entry.english, entry.japanese) = (self.english, self.japanese)
    return entry
  }

  /// Whether a server's entry means the same: it has the name, or is the only one of its type, whatever its language calls it.
  public func isMeant(by entry: CatalogEntry) -> Bool {
    guard entry.catalog == self.catalog.rawValue else { return false }
    return entry.name.lowercased() == self.name.lowercased() || (!self.type.isEmpty && entry.type == self.type)
  }

  /// The name that a text means: the name itself, or how people call it in English or Japanese. Case makes no difference.
  public static func find(_ catalog: CatalogKind, _ text: String) -> CommonName? {
    let wanted = text.lowercased()
    return self.all.first { name in
      name.catalog == catalog && [name.name, name.english, name.japanese].contains { $0.lowercased() == wanted }
    }
  }

  /// The names of a catalog, the usual ones first; nil = of all catalogs.
  public static func all(of catalog: CatalogKind?) -> [CommonName] {
    self.all.filter { catalog == nil || $0.catalog == catalog }
  }

  private static let all: [CommonName] = Self.genders + Self.fieldTypes + Self.activities + Self.relationships

  private static let genders = [
    CommonName(.gender, "Woman", "女性", type: "F"), CommonName(.gender, "Man", "男性", type: "M"),
    CommonName(.gender, "Rather not say", "回答しない", type: "O"),
  ]

  private static let fieldTypes =
    [
      CommonName(.contactFieldType, "email", "メール", english: "e-mail", type: "email"),
      CommonName(.contactFieldType, "phone", "電話", type: "phone"),
    ]
    + [
      ("LINE", "LINE"), ("Whatsapp", "WhatsApp"), ("Signal", "Signal"), ("Telegram", "Telegram"),
      ("Facebook", "Facebook"),
      ("Instagram", "Instagram"), ("Twitter", "X（Twitter）"), ("LinkedIn", "LinkedIn"), ("Fax", "FAX"), ("web", "ウェブ"),
      ("other", "その他"),
    ].map { CommonName(.contactFieldType, $0.0, $0.1) }

  private static let activities = [
    ("just hung out", "一緒に過ごした"), ("just talked at home", "家で話した"), ("watched a movie at home", "家で映画を見た"),
    ("played a sport together", "一緒に運動した"), ("ate at home", "家で食事した"), ("ate at their place", "相手の家で食事した"),
    ("ate at a restaurant", "外食した"), ("picnicked", "ピクニックした"), ("went to a bar", "飲みに行った"),
    ("went to the theater", "劇場に行った"), ("went to a concert", "コンサートに行った"), ("went to a play", "芝居を見に行った"),
    ("went to the museum", "美術館・博物館に行った"),
  ].map { CommonName(.activityType, $0.0, $0.1) }

  private static let relationships: [CommonName] =
    [
      Self.same("family", "spouse", "配偶者"),
      Self.pair("family", Side("parent", "親"), Side("child", "子")),
      Self.same("family", "sibling", "きょうだい"),
      Self.pair("family", Side("grandparent", "祖父母"), Side("grandchild", "孫")),
      Self.pair(
        "family", Side("uncle", "おじ・おば", english: "uncle or aunt"), Side("nephew", "おい・めい", english: "nephew or niece")),
      Self.same("family", "cousin", "いとこ"),
      Self.pair(
        "family", Side("stepparent", "継親", english: "step-parent"), Side("stepchild", "継子", english: "step-child")),
      Self.pair("family", Side("parent-in-law", "義理の親"), Side("child-in-law", "義理の子")),
      Self.same("family", "sibling-in-law", "義理のきょうだい"),
      Self.pair("family", Side("godfather", "名付け親", english: "godparent"), Side("godson", "名付け子", english: "godchild")),
      Self.same("love", "partner", "パートナー"), Self.same("love", "ex", "元パートナー", english: "former partner"),
      Self.same("love", "ex_husband", "元配偶者", english: "former spouse"), Self.same("love", "date", "デート相手"),
      Self.same("love", "lover", "恋人"),
      Self.pair(
        "love", Side("inlovewith", "片思いの相手", english: "in love with"), Side("lovedby", "思いを寄せる人", english: "loved by")),
      Self.same("friend", "friend", "友人"), Self.same("friend", "bestfriend", "親友", english: "best friend"),
      Self.same("friend", "neighbour", "近所の人"),
      Self.pair("care", Side("carer", "介護者"), Side("cared for", "介護を受ける人")),
      Self.pair("care", Side("doctor", "医師"), Side("patient", "患者")),
      Self.pair("care", Side("care manager", "ケアマネジャー"), Side("client", "利用者")),
      Self.same("work", "colleague", "同僚"), Self.pair("work", Side("boss", "上司"), Side("subordinate", "部下")),
      Self.pair("work", Side("mentor", "恩師"), Side("protege", "教え子", english: "protégé")),
    ].flatMap { $0 }

  /// One side of a relationship.
  private struct Side {
    let name: String
    let japanese: String
    let english: String

    init(_ name: String, _ japanese: String, english: String? = nil) {
      (self.name, self.japanese, self.english) = (name, japanese, english ?? name)
    }
  }

  private static func pair(_ group: String, _ one: Side, _ other: Side) -> [CommonName] {
    [(one, other), (other, one)].map { side, reverse in
      CommonName(
        .relationshipType, side.name, side.japanese, english: side.english, reverse: reverse.name, group: group)
    }
  }

  /// A relationship with the same name from both sides.
  private static func same(_ group: String, _ name: String, _ japanese: String, english: String? = nil) -> [CommonName]
  {
    [CommonName(.relationshipType, name, japanese, english: english, reverse: name, group: group)]
  }
}

extension CatalogEntry {
  /// The entry with its names for people, if it is one that every household has.
  public var named: CatalogEntry {
    guard let kind = CatalogKind(rawValue: self.catalog), let common = CommonName.find(kind, self.name) else {
      return self
    }
    var entry = self
    (entry.english, entry.japanese) = (common.english, common.japanese)
    return entry
  }
}

extension GiftStatus {
  /// The kind of a gift for people.
  public var english: String {
    switch self {
    case .idea: "idea"
    case .offered: "given"
    case .received: "received"
    }
  }

  /// The kind of a gift for people, in Japanese.
  public var japanese: String {
    switch self {
    case .idea: "候補"
    case .offered: "贈った"
    case .received: "もらった"
    }
  }

  /// The kind that a text means: the word of the wire, or how people call it in English or Japanese.
  public init?(meant text: String) {
    guard
      let status = Self.allCases.first(where: { [$0.rawValue, $0.english, $0.japanese].contains(text.lowercased()) })
    else { return nil }
    self = status
  }
}
