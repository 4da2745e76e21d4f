@testable import VCard

/// All values of the typed views, without what differs between two writings of one card: lines and the source of
/// labels.
struct TypedValues: Equatable {
  var name: String?
  var structured: StructuredName
  var phonetic: PhoneticName
  var texts: [String?]
  var lists: [[String]]
  var labeled: [[String]]
  var dates: [String]
  var photo: Photo?
  /// The relations, with the meaning of their labels instead of the spelling.
  private var relations: [String]

  init(_ card: Card) {
    func describe(_ label: Label) -> String {
      let types = label.authority == .customType || label.authority == .groupLabel ? [] : label.types
      return "\(label.raw ?? "-")|\(label.canonical ?? "-")|\(types)|\(label.preference ?? 0)"
    }
    func describe(_ values: [LabeledValue]) -> [String] { values.map { $0.value + " " + describe($0.label) } }
    func describe(_ date: LabeledDate) -> String { "\(date.date?.description ?? date.text) \(describe(date.label))" }
    name = card.formattedName
    structured = card.structuredName
    phonetic = card.phoneticName
    texts = [
      card.title, card.role, card.note, card.phoneticOrganization, card.previousFamilyName, card.uid, card.revision,
    ]
    lists = [card.nicknames, card.organization, card.categories, card.members, ["\(card.kind)"]]
    labeled = [describe(card.phones), describe(card.emails), describe(card.urls), describe(card.relations)]
    labeled.append(
      card.addresses.map { address in
        "\(address.components) \(address.countryCode ?? "") \(address.subLocality ?? "") \(address.formatted ?? "") "
          + describe(address.label)
      })
    labeled.append(card.messaging.map { "\($0.service ?? "") \($0.user) \($0.uri ?? "") " + describe($0.label) })
    dates = ([card.birthday].compactMap(\.self) + card.alternateBirthdays + card.dates).map(describe)
    photo = card.photo().photo
    relations = card.relations.map { "\($0.value) \($0.label.canonical ?? "-") \($0.label.preference ?? 0)" }
  }

  /// The same in forms that both versions have: only the digits of REV, and the meaning of labels.
  var meaning: TypedValues {
    var values = self
    values.texts[6] = texts[6].map { $0.filter(\.isNumber) }
    values.labeled[3] = relations.sorted()
    return values
  }
}
