internal import Bus
internal import KithMessages
internal import Storage

extension Person: FieldedRecord {
  static let fields: [RecordField<Person>] = [
    .value("first_name", \.firstName),
    .value("middle_name", \.middleName),
    .value("last_name", \.lastName),
    .value("nickname", \.nickname),
    .value("gender", \.gender),
    .text("description", \.description_p, limit: .line),
    .value("birthday", \.birthday),
    .value("birthday_reminder", \.birthdayReminder),
    .value("is_dead", \.isDead),
    .value("deceased_on", \.deceasedOn),
    .value("job", \.job),
    .value("company", \.company),
    .text("food_preferences", \.foodPreferences, limit: .description),
    .text("how_met", \.howMet, limit: .description),
    .set("tags", \.tags),
    .value("is_partial", \.isPartial),
    .kept(
      "photo", isEditable: false, get: { $0.hasPhoto ? $0.photo : nil },
      set: { if let photo = $1 { $0.photo = photo } else { $0.clearPhoto() } }),
  ]
}

extension ContactField: FieldedRecord {
  static let fields: [RecordField<ContactField>] = [
    .value("type", \.type), .value("data", \.data), .set("labels", \.labels),
  ]
}

extension PersonAddress: FieldedRecord {
  static let fields: [RecordField<PersonAddress>] = [
    .value("name", \.name), .value("street", \.street), .value("city", \.city), .value("province", \.province),
    .value("postal_code", \.postalCode), .value("country", \.country), .value("latitude", \.latitude),
    .value("longitude", \.longitude), .set("labels", \.labels),
  ]
}

extension Note: FieldedRecord {
  static let fields: [RecordField<Note>] = [
    .text("body", \.body, limit: .note), .value("is_favorite", \.isFavorite),
  ]
}

extension TaskItem: FieldedRecord {
  static let fields: [RecordField<TaskItem>] = [
    .value("title", \.title), .text("description", \.description_p, limit: .description),
    .value("is_completed", \.isCompleted),
  ]
}

extension Activity: FieldedRecord {
  static let fields: [RecordField<Activity>] = [
    .value("summary", \.summary), .text("description", \.description_p, limit: .description),
    .value("happened_on", \.happenedOn), .set("participants", \.participants), .value("type", \.type),
  ]
}

extension Gift: FieldedRecord {
  static let fields: [RecordField<Gift>] = [
    .value("name", \.name), .value("status", \.status), .text("comment", \.comment, limit: .description),
    .value("url", \.url), .value("amount", \.amount), .value("date", \.date),
  ]
}

extension Tag: FieldedRecord {
  static let fields: [RecordField<Tag>] = [.value("name", \.name)]
}

extension Relationship: FieldedRecord {
  static let fields: [RecordField<Relationship>] = [.value("type", \.type)]
}

extension PersonReminder: FieldedRecord {
  static let fields: [RecordField<PersonReminder>] = [
    .value("title", \.title), .text("description", \.description_p, limit: .description),
    .value("initial_date", \.initialDate), .value("frequency", \.frequency), .value("every", \.every),
  ]
}

extension Call: FieldedRecord {
  static let fields: [RecordField<Call>] = [
    .time(
      "called_at", get: { $0.hasCalledAt ? $0.calledAt : nil },
      set: { if let time = $1 { $0.calledAt = time } else { $0.clearCalledAt() } }),
    .value("duration_minutes", \.durationMinutes),
    .value("emotion", \.emotion),
    .text("note", \.note, limit: .memo),
    .value("they_called", \.theyCalled),
    .set("tags", \.tags),
    .kept("attachments", isEditable: true, get: { $0.attachments }, set: { $0.attachments = $1 }),
    .kept("is_running", isEditable: false, get: { $0.isRunning }, set: { $0.isRunning = $1 }),
  ]
}

extension Conversation: FieldedRecord {
  static let fields: [RecordField<Conversation>] = [
    .value("channel", \.channel),
    .time(
      "happened_at", get: { $0.hasHappenedAt ? $0.happenedAt : nil },
      set: { if let time = $1 { $0.happenedAt = time } else { $0.clearHappenedAt() } }),
    .messages("messages", \.messages),
  ]
}
