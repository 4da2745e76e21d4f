internal import KithMessages
internal import SwiftProtobuf

/// A call stored as an activity, for accounts that choose so: its summary is "Call" and the first words, its
/// description the note with a trailer that has the time of day.
///
/// An activity counts as a call by that time of day, or by its summary, so that one of the two may be changed on the
/// web. The list of activities omits calls, which the list of calls has. Calls that are stored as calls are not read in
/// such an account, because their ids could equal those of activities.
struct CallActivityResource: WritableResource {
  static let path = ActivityResource.path

  let activity: ActivityResource

  init(from decoder: any Swift.Decoder) throws { self.activity = try ActivityResource(from: decoder) }

  var head: RecordHead { self.activity.head }

  static func list(of person: UInt64?) -> ListRoute? { ActivityResource.list(of: person) }

  var record: RemoteRecord? {
    guard self.activity.isCall else { return nil }
    let trailer = CallTrailer.split(self.activity.description).trailer
    var (call, unsaid) = Call.reading(self.activity.description)
    // Noon is on the same day nearly everywhere.
    let clock = trailer?.clock ?? "12:00:00"
    if let stamp = ServerTime.stamp("\(self.activity.happenedOn)T\(clock)Z") { call.calledAt = stamp }
    call.theyCalled = trailer?.theyCalled ?? false
    if trailer?.clock == nil { unsaid += ["called_at", "they_called"] }
    self.head.stamp(&call, \.createdAt, \.updatedAt)
    var remote = self.head.remote(of: self.activity.participants.first, .call(call))
    remote.unsaid = unsaid
    return remote
  }

  static func facts(_ record: RemoteRecord) -> Facts { record.call.facts(of: record.owner) }

  /// As for activities: one from an interrupted attempt has no participants.
  static func search(for want: RemoteRecord) -> (route: ListRoute, order: ListReader.Order)? {
    Self.list(of: nil).map { ($0, .lastMade) }
  }

  func isTrace(of want: RemoteRecord, since: Int64) -> Bool {
    guard let record, !self.isPast(want, since: since) else { return false }
    let unsaid = record.unsaid + (self.activity.participants.isEmpty ? ["owner"] : [])
    return Self.facts(record).agree(with: Self.facts(want), except: unsaid)
  }

  static func body(
    _ want: RemoteRecord, over current: Self?, _ catalog: CatalogReader
  ) async throws(MonicaError) -> JSONValue {
    var trailer = want.call.trailer
    trailer.clock = ServerTime.clock(want.call.calledAt)
    trailer.theyCalled = want.call.theyCalled
    var people = [want.owner]
    people += (current?.activity.participants ?? []).filter { $0 != want.owner }
    return [
      "summary": .text(ActivityResource.summary(ofCall: want.call.note)),
      "description": .text(trailer.content(note: want.call.note)),
      "happened_at": .text(ServerTime.day(want.call.calledAt)), "contacts": .list(people.map { .id($0) }),
      "activity_type_id": .id(current?.activity.type?.id),
    ]
  }
}

/// An activity that is not a call, in an account that stores calls as activities.
struct PlainActivityResource: WritableResource {
  static let path = ActivityResource.path
  static let belongsToPerson = false

  let activity: ActivityResource

  init(from decoder: any Swift.Decoder) throws { self.activity = try ActivityResource(from: decoder) }

  var head: RecordHead { self.activity.head }
  var record: RemoteRecord? { self.activity.isCall ? nil : self.activity.record }

  static func list(of person: UInt64?) -> ListRoute? { ActivityResource.list(of: person) }
  static func facts(_ record: RemoteRecord) -> Facts { ActivityResource.facts(record) }
  static func search(for want: RemoteRecord) -> (route: ListRoute, order: ListReader.Order)? {
    ActivityResource.search(for: want)
  }

  func isTrace(of want: RemoteRecord, since: Int64) -> Bool { self.activity.isTrace(of: want, since: since) }

  static func body(
    _ want: RemoteRecord, over current: Self?, _ catalog: CatalogReader
  ) async throws(MonicaError) -> JSONValue {
    try await ActivityResource.body(want, over: current?.activity, catalog)
  }
}

extension ActivityResource {
  private static let callWord = "Call"
  /// The number of characters of the first words; the server allows 255.
  private static let wordsLength = 60

  /// Whether it is a call stored as an activity.
  var isCall: Bool {
    self.summary == Self.callWord || self.summary.hasPrefix("\(Self.callWord): ")
      || CallTrailer.split(self.description).trailer?.clock != nil
  }

  /// "Call: " and the first words of a note.
  fileprivate static func summary(ofCall note: String) -> String {
    let words = ServerText.clean(note).split(whereSeparator: \.isWhitespace)
    var text = ""
    for word in words {
      let longer = text.isEmpty ? String(word) : "\(text) \(word)"
      guard longer.count <= Self.wordsLength else {
        return "\(Self.callWord): \(text.isEmpty ? String(word.prefix(Self.wordsLength)) : text)…"
      }
      text = longer
    }
    return text.isEmpty ? Self.callWord : "\(Self.callWord): \(text)"
  }
}
