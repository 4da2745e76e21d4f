internal import KithMessages

/// `/gifts`.
struct GiftResource: WritableResource {
  static let path = "gifts"

  let head: RecordHead
  let owner: UInt64?
  let name: String
  let status: String
  let comment: String
  let url: String
  /// Decimal: "12.00".
  let amount: String
  /// `YYYY-MM-DD`.
  let date: String
  /// The person whom it is for besides the owner; not in messages, and preserved.
  let recipient: UInt64?

  init(from decoder: any Swift.Decoder) throws {
    let fields = try Fields(decoder)
    self.head = try RecordHead(fields)
    self.owner = try fields.object(ShortPerson.self, "contact")?.id
    self.name = ServerText.clean(fields.text("name"))
    self.status = fields.text("status")
    self.comment = ServerText.clean(fields.text("comment"))
    self.url = ServerText.clean(fields.text("url"))
    self.amount = fields.text("amount")
    self.date = String(fields.text("date").prefix(10))
    self.recipient = try fields.object(ShortPerson.self, "recipient")?.id
  }

  static func list(of person: UInt64?) -> ListRoute? {
    ListRoute(path: person.map { "contacts/\($0)/gifts" } ?? Self.path, isSortable: true)
  }

  var record: RemoteRecord? {
    var gift = Gift()
    gift.name = self.name
    gift.status = self.status
    gift.comment = self.comment
    gift.url = self.url
    gift.amount = self.amount
    gift.date = self.date
    self.head.stamp(&gift, \.createdAt, \.updatedAt)
    return self.head.remote(of: self.owner, .gift(gift))
  }

  static func facts(_ record: RemoteRecord) -> Facts {
    let gift = record.gift
    var facts = Facts()
    facts.set("owner", record.owner)
    facts.set("name", gift.name)
    facts.set("status", gift.status)
    facts.set("comment", gift.comment)
    facts.set("url", gift.url)
    facts.set("amount", decimal: gift.amount)
    facts.set("date", gift.date)
    return facts
  }

  static func body(
    _ want: RemoteRecord, over current: Self?, _ catalog: CatalogReader
  ) async throws(MonicaError) -> JSONValue {
    let gift = want.gift
    return [
      "contact_id": .id(want.owner), "name": .text(ServerText.clean(gift.name)), "status": .text(gift.status),
      "comment": .textOrNull(ServerText.clean(gift.comment)), "url": .textOrNull(ServerText.clean(gift.url)),
      "amount": .textOrNull(gift.amount), "date": .textOrNull(gift.date), "recipient_id": .id(current?.recipient),
    ]
  }
}
