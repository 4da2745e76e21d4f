internal import KithMessages
internal import SwiftProtobuf

/// `/tasks`. A new task is never completed, so completing it is a separate step.
struct TaskResource: WritableResource {
  static let path = "tasks"
  static let belongsToPerson = false

  let head: RecordHead
  let owner: UInt64?
  let title: String
  let description: String
  let isCompleted: Bool
  let completedAt: Google_Protobuf_Timestamp?

  init(from decoder: any Swift.Decoder) throws {
    let fields = try Fields(decoder)
    self.head = try RecordHead(fields)
    self.owner = try fields.object(ShortPerson.self, "contact")?.id
    self.title = ServerText.clean(fields.text("title"))
    self.description = ServerText.clean(fields.text("description"))
    self.isCompleted = fields.flag("completed") ?? false
    self.completedAt = fields.time("completed_at")
  }

  static func list(of person: UInt64?) -> ListRoute? {
    ListRoute(path: person.map { "contacts/\($0)/tasks" } ?? Self.path, isSortable: true)
  }

  var record: RemoteRecord? {
    var task = TaskItem()
    task.title = self.title
    task.description_p = self.description
    task.isCompleted = self.isCompleted
    if let completedAt { task.completedAt = completedAt }
    self.head.stamp(&task, \.createdAt, \.updatedAt)
    return self.head.remote(of: self.owner, .task(task))
  }

  static func facts(_ record: RemoteRecord) -> Facts {
    var facts = Facts()
    facts.set("owner", record.owner)
    facts.set("title", record.task.title)
    facts.set("description", record.task.description_p)
    facts.set("is_completed", record.task.isCompleted)
    return facts
  }

  static func body(
    _ want: RemoteRecord, over current: Self?, _ catalog: CatalogReader
  ) async throws(MonicaError) -> JSONValue {
    [
      "contact_id": .id(want.owner == 0 ? nil : want.owner), "title": .text(ServerText.clean(want.task.title)),
      "description": .textOrNull(ServerText.clean(want.task.description_p)), "completed": .flag(want.task.isCompleted),
    ]
  }

  /// An interrupted attempt may have left a completed task open.
  func isTrace(of want: RemoteRecord, since: Int64) -> Bool {
    guard let record, !self.isPast(want, since: since) else { return false }
    return Self.facts(record).agree(with: Self.facts(want), except: ["is_completed"])
  }

  static func make(_ want: RemoteRecord, _ session: PushSession) async throws(MonicaError) -> Self {
    let made: Self = try await session.post(Self.path, try await Self.body(want, over: nil, session.catalog))
    return want.task.isCompleted ? try await made.replaced(with: want, base: nil, session) : made
  }
}
