internal import Bus
internal import CivilTime
internal import KithMessages
internal import Storage
internal import SwiftProtobuf

extension PersonDetails {
  /// Of notes, activities, calls and conversations so many of the newest are shown.
  private static let newest: UInt32 = 20
  /// Bytes of records in one reply, as protobuf.
  private static let room = 80 * 1024

  /// Gathers what belongs to a person.
  ///
  /// What would make the reply too large is left to the lists, the oldest first.
  ///
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN`.
  init(of id: String, today: Day, in view: ReadView) throws(Failure) {
    self.init()
    let records = view.records
    self.person = try records.require(Person.self, id)
    if let pull = try view.accounts.current().lastPullAt { self.fetchedAt = .init(nanosecondsSince1970: pull) }
    var room = Self.room - (try Encoding.pb.encode(self).count)
    // Half of what is left is more than anybody fills with these; what is in the lists beyond it is found there.
    self.fields = try Self.fit(records.all(ContactField.self, ofPerson: id), &room, share: 2)
    self.addresses = try Self.fit(records.all(PersonAddress.self, ofPerson: id), &room, share: 2)
    self.relationships = try Self.fit(records.all(Relationship.self, ofPerson: id), &room, share: 2)
    let reminders = try records.all(PersonReminder.self, ofPerson: id).map { reminder in
      var reminder = reminder
      reminder.nextOn = reminder.nextDay(from: today)?.description ?? ""
      return reminder
    }
    self.reminders = try Self.fit(reminders, &room, share: 2)
    self.tasks = try Self.fit(records.all(TaskItem.self, ofPerson: id), &room, share: 2)
    self.gifts = try Self.fit(records.all(Gift.self, ofPerson: id), &room, share: 2)
    let query = RecordQuery(limit: Self.newest, person: id)
    self.calls = try Self.fit(records.page(Call.self, query).records, &room, share: 4)
    self.conversations = try Self.fit(records.page(Conversation.self, query).records, &room, share: 3)
    self.activities = try Self.fit(records.page(Activity.self, query).records, &room, share: 2)
    self.notes = try Self.fit(records.page(Note.self, query).records, &room, share: 1)
  }

  /// As many records as a share of the room holds.
  ///
  /// - Parameter share: The part of what is left: one in so many.
  private static func fit<Record: SyncedRecord>(
    _ records: [Record], _ room: inout Int, share: Int
  ) throws(Failure) -> [Record] {
    let limit = max(0, room) / share
    var (kept, used) = ([Record](), 0)
    for record in records {
      let bytes = try Encoding.pb.encode(record).count + 8
      guard used + bytes <= limit else { break }
      used += bytes
      kept.append(record)
    }
    room -= used
    return kept
  }
}
