internal import KithMessages

/// `/reminders`.
struct ReminderResource: WritableResource {
  static let path = "reminders"

  let head: RecordHead
  let owner: UInt64?
  let title: String
  let description: String
  /// `one_time`, `week`, `month` or `year`.
  let frequency: String
  let every: UInt32
  /// `YYYY-MM-DD`.
  let initialDate: String
  /// Whether a person may delete it: reminders that the server made from a birthday cannot be deleted.
  let isDeletable: Bool

  init(from decoder: any Swift.Decoder) throws {
    let fields = try Fields(decoder)
    self.head = try RecordHead(fields)
    self.owner = try fields.object(ShortPerson.self, "contact")?.id
    self.title = ServerText.clean(fields.text("title"))
    self.description = ServerText.clean(fields.text("description"))
    self.frequency = fields.text("frequency_type")
    self.every = fields.number("frequency_number").flatMap { UInt32(exactly: $0) } ?? 1
    guard let date = fields.time("initial_date") else { throw fields.missing("initial_date") }
    self.initialDate = ServerTime.day(date)
    self.isDeletable = fields.flag("delible") ?? true
  }

  static func list(of person: UInt64?) -> ListRoute? {
    ListRoute(path: person.map { "contacts/\($0)/reminders" } ?? Self.path, isSortable: true)
  }

  var record: RemoteRecord? {
    var reminder = PersonReminder()
    reminder.title = self.title
    reminder.description_p = self.description
    reminder.frequency = self.frequency
    reminder.every = self.every
    reminder.initialDate = self.initialDate
    reminder.isAutomatic = !self.isDeletable
    self.head.stamp(&reminder, \.createdAt, \.updatedAt)
    return self.head.remote(of: self.owner, .reminder(reminder))
  }

  static func facts(_ record: RemoteRecord) -> Facts {
    let reminder = record.reminder
    var facts = Facts()
    facts.set("owner", record.owner)
    facts.set("title", reminder.title)
    facts.set("description", reminder.description_p)
    facts.set("initial_date", reminder.initialDate)
    facts.set("frequency", reminder.frequency)
    facts.set("every", max(1, reminder.every))
    return facts
  }

  static func body(
    _ want: RemoteRecord, over current: Self?, _ catalog: CatalogReader
  ) async throws(MonicaError) -> JSONValue {
    let reminder = want.reminder
    return [
      "contact_id": .id(want.owner), "title": .text(ServerText.clean(reminder.title)),
      "description": .textOrNull(ServerText.clean(reminder.description_p)),
      "initial_date": .text(reminder.initialDate), "frequency_type": .text(reminder.frequency),
      // With 0 the server would loop for ever.
      "frequency_number": .number(Int(max(1, reminder.every))), "delible": .flag(current?.isDeletable ?? true),
    ]
  }
}
