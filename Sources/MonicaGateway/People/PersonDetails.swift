internal import Bus
internal import CivilTime
internal import KithMessages
internal import Storage
internal import SwiftProtobuf

extension PersonDetails {
  /// How many notes, activities, calls and conversations are shown, the newest first.
  private static let newest: UInt32 = 20
  /// The most bytes of records in one reply, as protobuf.
  private static let room = 80 * 1024

  /// Collects the records of a person.
  ///
  /// Records that would make the reply too large are left out, the oldest first; the lists have them.
  ///
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN`.
  init(of id: String, today: Day, in view: ReadView) throws(Failure) {
    self.init()
    let records = view.records
    self.person = try records.require(Person.self, id)
    if let pull = try view.accounts.current().lastPullAt { self.fetchedAt = .init(nanosecondsSince1970: pull) }
    if !self.person.contactID.isEmpty, let contact = try view.contacts.get(self.person.contactID) {
      self.contact = PageLimit.fit(contact)
    }
    var room = Self.room - (try Encoding.pb.encode(self).count)
    // Half of the remaining room is more than these kinds usually need; the lists have the rest.
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

  /// As many records as fit into a share of the room.
  ///
  /// - Parameter share: The share of the remaining room, as one part in this number.
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
