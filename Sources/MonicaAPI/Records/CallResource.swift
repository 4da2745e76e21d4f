internal import KithMessages
internal import SwiftProtobuf

/// `/calls`. Always listed by the time of the call, the latest first. The server has no fields for duration, mood and
/// tags: ``CallTrailer`` holds them in the text.
///
/// A text without a trailer has no values for them: the fields are empty and named in `unsaid`, so that a merge keeps
/// the known values. Such calls were never logged here, or someone deleted the trailer on the web.
struct CallResource: WritableResource {
  static let path = "calls"

  let head: RecordHead
  let owner: UInt64?
  let calledAt: Google_Protobuf_Timestamp
  let content: String
  let theyCalled: Bool

  init(from decoder: any Swift.Decoder) throws {
    let fields = try Fields(decoder)
    self.head = try RecordHead(fields)
    self.owner = try fields.object(ShortPerson.self, "contact")?.id
    guard let calledAt = fields.time("called_at") else { throw fields.missing("called_at") }
    self.calledAt = calledAt
    self.content = fields.text("content")
    // The answer to a change has null instead of false.
    self.theyCalled = fields.flag("contact_called") ?? false
  }

  static func list(of person: UInt64?) -> ListRoute? {
    ListRoute(path: person.map { "contacts/\($0)/calls" } ?? Self.path)
  }

  var record: RemoteRecord? {
    var (call, unsaid) = Call.reading(self.content)
    call.calledAt = self.calledAt
    call.theyCalled = self.theyCalled
    self.head.stamp(&call, \.createdAt, \.updatedAt)
    var remote = self.head.remote(of: self.owner, .call(call))
    remote.unsaid = unsaid
    return remote
  }

  static func facts(_ record: RemoteRecord) -> Facts { record.call.facts(of: record.owner) }

  func isPast(_ want: RemoteRecord, since: Int64) -> Bool { self.calledAt.seconds < want.call.calledAt.seconds }

  /// The server keeps our UUID.
  func isTrace(of want: RemoteRecord, since: Int64) -> Bool {
    guard want.clientID.isEmpty else { return self.head.uuid.lowercased() == want.clientID.lowercased() }
    guard let record, self.head.createdAt.map({ $0.seconds >= since }) ?? true else { return false }
    return Self.facts(record).agree(with: Self.facts(want), except: record.unsaid)
  }

  static func body(
    _ want: RemoteRecord, over current: Self?, _ catalog: CatalogReader
  ) async throws(MonicaError) -> JSONValue {
    var body: [String: JSONValue] = [
      "called_at": .text(ServerTime.text(want.call.calledAt)),
      "content": .textOrNull(want.call.trailer.content(note: want.call.note)),
      "contact_called": .flag(want.call.theyCalled),
    ]
    if current == nil {
      body["contact_id"] = .id(want.owner)
      if !want.clientID.isEmpty { body["uuid"] = .text(want.clientID) }
    }
    return .object(body)
  }
}

extension Call {
  /// Fields that only the hub has.
  private static let neverSaid = ["attachments"]

  /// Parses the text of a call.
  ///
  /// - Returns: The call, and the fields that the text has no values for.
  static func reading(_ content: String) -> (call: Call, unsaid: [String]) {
    let (note, trailer) = CallTrailer.split(content)
    var call = Call()
    call.note = note
    guard let trailer else { return (call, ["duration_minutes", "emotion", "tags"] + Self.neverSaid) }
    call.durationMinutes = trailer.minutes
    call.emotion = trailer.emotion
    call.tags = trailer.tags
    return (call, Self.neverSaid)
  }

  /// The values that go into the text after the note.
  var trailer: CallTrailer {
    var trailer = CallTrailer()
    trailer.minutes = self.durationMinutes
    trailer.emotion = self.emotion
    trailer.tags = self.tags
    trailer.attachments = self.attachments.count
    return trailer
  }

  func facts(of owner: UInt64) -> Facts {
    var facts = Facts()
    facts.set("owner", owner)
    facts.set("called_at", self.calledAt)
    facts.set("duration_minutes", self.durationMinutes)
    facts.set("emotion", self.emotion)
    facts.set("note", self.note)
    facts.set("they_called", self.theyCalled)
    facts.set("tags", anyOrder: self.tags)
    facts.set("attachments", self.attachments.count)
    return facts
  }
}
