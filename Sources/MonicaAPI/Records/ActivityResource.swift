internal import KithMessages

/// `/activities`. The list of one person is always sorted by date; the list of all can be sorted.
struct ActivityResource: WritableResource {
  static let path = "activities"
  static let belongsToPerson = false

  let head: RecordHead
  let summary: String
  let description: String
  /// `YYYY-MM-DD`.
  let happenedOn: String
  let type: ActivityTypeResource?
  let participants: [UInt64]

  init(from decoder: any Swift.Decoder) throws {
    let fields = try Fields(decoder)
    self.head = try RecordHead(fields)
    self.summary = ServerText.clean(fields.text("summary"))
    self.description = ServerText.clean(fields.text("description"))
    guard let date = fields.time("happened_at") else { throw fields.missing("happened_at") }
    self.happenedOn = ServerTime.day(date)
    self.type = try fields.object(ActivityTypeResource.self, "activity_type")
    self.participants = try fields.object(Attendees.self, "attendees")?.people.map(\.id) ?? []
  }

  private struct Attendees: Decodable {
    let people: [ShortPerson]

    init(from decoder: any Swift.Decoder) throws {
      self.people = try Fields(decoder).list(ShortPerson.self, "contacts") ?? []
    }
  }

  static func list(of person: UInt64?) -> ListRoute? {
    person.map { ListRoute(path: "contacts/\($0)/activities") } ?? ListRoute(path: Self.path, isSortable: true)
  }

  var record: RemoteRecord? {
    var activity = Activity()
    activity.summary = self.summary
    activity.description_p = self.description
    activity.happenedOn = self.happenedOn
    activity.type = self.type?.name ?? ""
    self.head.stamp(&activity, \.createdAt, \.updatedAt)
    var remote = self.head.remote(of: self.participants.first, .activity(activity))
    remote.others = self.participants
    return remote
  }

  /// The participants; if a message names only the first, that one.
  static func participants(_ record: RemoteRecord) -> [UInt64] {
    var seen: Set<UInt64> = []
    return (record.others.isEmpty ? [record.owner] : record.others).filter { $0 != 0 && seen.insert($0).inserted }
  }

  static func facts(_ record: RemoteRecord) -> Facts {
    let activity = record.activity
    var facts = Facts()
    facts.set("participants", anyOrder: Self.participants(record).map(String.init))
    facts.set("summary", activity.summary)
    facts.set("description", activity.description_p)
    facts.set("happened_on", activity.happenedOn)
    facts.set("type", activity.type)
    return facts
  }

  /// Searches the list of all: an activity from an interrupted attempt has no participants yet, so no person's list has
  /// it.
  static func search(for want: RemoteRecord) -> (route: ListRoute, order: ListReader.Order)? {
    Self.list(of: nil).map { ($0, .lastMade) }
  }

  func isTrace(of want: RemoteRecord, since: Int64) -> Bool {
    guard let record, !self.isPast(want, since: since) else { return false }
    let unsaid = self.participants.isEmpty ? ["participants"] : []
    return Self.facts(record).agree(with: Self.facts(want), except: unsaid)
  }

  static func body(
    _ want: RemoteRecord, over current: Self?, _ catalog: CatalogReader
  ) async throws(MonicaError) -> JSONValue {
    let activity = want.activity
    var type: UInt64?
    if let known = current?.type, known.name == activity.type {
      type = known.id
    } else if !activity.type.isEmpty {
      type = try await catalog.id(of: activity.type, in: .activityType, field: "type")
    }
    return [
      "summary": .text(ServerText.clean(activity.summary)),
      "description": .textOrNull(ServerText.clean(activity.description_p)), "happened_at": .text(activity.happenedOn),
      "contacts": .list(Self.participants(want).map { .id($0) }), "activity_type_id": .id(type),
    ]
  }
}
