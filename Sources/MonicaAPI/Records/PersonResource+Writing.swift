internal import Bus
internal import CivilTime
internal import KithMessages

/// Changes a person.
///
/// A PUT replaces: if it omits the birthday, the day of death or the description, the server deletes them and their
/// reminders. A change is therefore built from the server's latest answer. One request has the names, the days, work,
/// food and the first meeting; whatever the answer lacks of the last three is sent in requests of its own, followed by
/// the tags.
extension PersonResource: WritableResource {
  static let belongsToPerson = false

  /// The server keeps our UUID. (Before 4.1.2 a search gives people new UUIDs: a person found between two attempts is
  /// then created twice, which is better than to mistake a person of the same name for this one.)
  func isTrace(of want: RemoteRecord, since: Int64) -> Bool {
    guard want.clientID.isEmpty else { return self.head.uuid.lowercased() == want.clientID.lowercased() }
    guard let record, !self.isPast(want, since: since) else { return false }
    return Self.facts(record).agree(with: Self.facts(want), except: record.unsaid)
  }

  /// People who are known only through others are in no list.
  static func search(for want: RemoteRecord) -> (route: ListRoute, order: ListReader.Order)? {
    want.person.isPartial ? nil : Self.list(of: nil).map { ($0, .lastMade) }
  }

  /// The account's log names every created person, and the server returns each of them by id.
  static func unlisted(
    _ want: RemoteRecord, since: Int64, _ session: PushSession
  ) async throws(MonicaError) -> Self? {
    for id in try await CreationLog.people(since: since, session.client) {
      guard let person = try await session.client.find(Self.self, Self.target(id)) else { continue }
      if person.isPartial, person.isTrace(of: want, since: since) { return person }
    }
    return nil
  }

  static func body(
    _ want: RemoteRecord, over current: Self?, _ catalog: CatalogReader
  ) async throws(MonicaError) -> JSONValue {
    try await self.body(want, over: current, Reminders(want), sendsMiddleName: true, catalog)
  }

  static func make(_ want: RemoteRecord, _ session: PushSession) async throws(MonicaError) -> Self {
    let made: Self = try await session.post(Self.path, try await Self.body(want, over: nil, session.catalog))
    return try await made.completed(want, base: nil, session)
  }

  func replaced(
    with want: RemoteRecord, base: RemoteRecord?, _ session: PushSession
  ) async throws(MonicaError) -> Self {
    guard self.isActive else { throw MonicaError(.archived) }
    let reminders = try await self.reminders(with: want, base: base, session)
    let sendsMiddleName = base.map { $0.person.middleName != want.person.middleName } ?? true
    let body = try await Self.body(
      want, over: self, reminders, sendsMiddleName: sendsMiddleName, session.catalog)
    let changed: Self = try await session.put("\(Self.path)/\(self.head.id)", body)
    return try await changed.completed(want, base: base, session)
  }

  /// The middle name is now as it was sent; whether the server reminds of the birthday is not read again.
  static func complete(_ record: inout RemoteRecord, with want: RemoteRecord) {
    if record.unsaid.contains("middle_name") { record.person.middleName = want.person.middleName }
    record.unsaid.removeAll { $0 == "middle_name" }
  }

  // MARK: - The body

  /// The days for which the server keeps a reminder.
  private struct Reminders {
    var ofBirthday: Bool
    var ofDeath = false

    init(_ want: RemoteRecord) { self.ofBirthday = want.person.birthdayReminder }
  }

  private static func body(
    _ want: RemoteRecord, over current: Self?, _ reminders: Reminders, sendsMiddleName: Bool, _ catalog: CatalogReader
  ) async throws(MonicaError) -> JSONValue {
    let person = want.person
    var body: [String: JSONValue] = [
      "first_name": .text(ServerText.clean(person.firstName)),
      "last_name": .textOrNull(ServerText.clean(person.lastName)),
      "nickname": .textOrNull(ServerText.clean(person.nickname)),
      "description": .textOrNull(ServerText.clean(person.description_p)),
    ]
    if sendsMiddleName { body["middle_name"] = .textOrNull(ServerText.clean(person.middleName)) }
    if current == nil {
      if !want.clientID.isEmpty { body["uuid"] = .text(want.clientID) }
    }
    if current?.isPartial != person.isPartial { body["is_partial"] = .flag(person.isPartial) }
    if !person.isPartial {
      body["job"] = .textOrNull(ServerText.clean(person.job))
      body["company"] = .textOrNull(ServerText.clean(person.company))
      body["food_preferences"] = .textOrNull(ServerText.clean(person.foodPreferences))
      body["first_met_additional_info"] = .textOrNull(ServerText.clean(person.howMet))
    }
    if person.gender.isEmpty {
      body["gender_id"] = .null
    } else if person.gender != current?.gender {
      body["gender_id"] = .id(try await catalog.id(of: person.gender, in: .gender, field: "gender"))
    }
    body.merge(try Self.dates(person, reminders)) { $1 }
    return .object(body)
  }

  private static func dates(_ person: Person, _ reminders: Reminders) throws(MonicaError) -> [String: JSONValue] {
    let year = Self.presentYear
    let birthday = try SpecialDate.reading(person.birthday, field: "birthday", year: year)
    let deceasedOn =
      person.isDead ? try SpecialDate.reading(person.deceasedOn, field: "deceased_on", year: year) : nil
    var body: [String: JSONValue] = [
      "is_birthdate_known": .flag(birthday != nil), "is_deceased": .flag(person.isDead),
      "is_deceased_date_known": .flag(deceasedOn != nil),
    ]
    if case .year(let then)? = birthday {
      body["birthdate_is_age_based"] = true
      body["birthdate_age"] = .number(max(0, year - then))
    } else {
      body.merge(birthday?.fields("birthdate_") ?? [:]) { $1 }
    }
    if birthday?.monthAndDay != nil { body["birthdate_add_reminder"] = .flag(reminders.ofBirthday) }
    if case .year(let then)? = deceasedOn {
      // The server cannot store a year alone: the first day stands for the year.
      body["deceased_date_year"] = .number(then)
      body["deceased_date_month"] = 1
      body["deceased_date_day"] = 1
    } else {
      body.merge(deceasedOn?.fields("deceased_date_") ?? [:]) { $1 }
    }
    if deceasedOn != nil { body["deceased_date_add_reminder"] = .flag(reminders.ofDeath) }
    return body
  }

  private static var presentYear: Int {
    Day(number: Int(WallClock.milliseconds()) / 1000 / Day.seconds).components.year
  }

  // MARK: - Values that a change must preserve

  /// The wanted reminders: those that the person changes, otherwise the present ones.
  private func reminders(
    with want: RemoteRecord, base: RemoteRecord?, _ session: PushSession
  ) async throws(MonicaError) -> Reminders {
    var reminders = Reminders(want)
    let keepsBirthday = base.map { $0.person.birthdayReminder == want.person.birthdayReminder } ?? false
    let birthday = keepsBirthday ? self.information.birthday : nil
    guard birthday?.monthAndDay != nil || self.information.deceasedOn != nil, self.numberOfReminders != 0,
      let route = ReminderResource.list(of: self.head.id)
    else { return reminders }
    let yearly = try await ListReader.all(session.client, route, of: ReminderResource.self).filter {
      $0.frequency == "year" && $0.every == 1
    }
    // The server marks reminders of birthdays as not deletable, those of deaths like any other.
    if keepsBirthday { reminders.ofBirthday = yearly.contains { !$0.isDeletable && $0.isOn(birthday) } }
    reminders.ofDeath = yearly.contains { $0.isDeletable && $0.isOn(self.information.deceasedOn) }
    return reminders
  }

  // MARK: - Values with requests of their own

  /// Sends what the answer to the first request lacks: work, food, the first meeting, and the tags.
  private func completed(
    _ want: RemoteRecord, base: RemoteRecord?, _ session: PushSession
  ) async throws(MonicaError) -> Self {
    guard !self.isPartial, !want.person.isPartial else { return self }
    let person = want.person
    let path = "\(Self.path)/\(self.head.id)"
    var current = self
    if current.information.job != ServerText.clean(person.job)
      || current.information.company != ServerText.clean(person.company)
    {
      current = try await session.put(
        "\(path)/work",
        [
          "job": .textOrNull(ServerText.clean(person.job)), "company": .textOrNull(ServerText.clean(person.company)),
        ])
    }
    if current.information.foodPreferences != ServerText.clean(person.foodPreferences) {
      current = try await session.put(
        "\(path)/food", ["food_preferences": .textOrNull(ServerText.clean(person.foodPreferences))])
    }
    if current.information.howMet != ServerText.clean(person.howMet) {
      current = try await session.put("\(path)/introduction", current.introduction(person.howMet))
    }
    return try await current.tagged(person.tags, base: base, session)
  }

  /// The first meeting, with the server's date and person for it.
  private func introduction(_ text: String) -> JSONValue {
    var body: [String: JSONValue] = [
      "general_information": .textOrNull(ServerText.clean(text)),
      "met_through_contact_id": .id(self.information.firstMetThrough),
      "is_date_known": .flag(self.information.firstMetOn != nil),
    ]
    switch self.information.firstMetOn {
    case .year(let year)?:
      body["is_age_based"] = true
      body["age"] = .number(max(0, Self.presentYear - year))
    case let date?:
      // The key of the year is required.
      body["year"] = .null
      body.merge(date.fields("")) { $1 }
    case nil: break
    }
    return .object(body)
  }

  private func tagged(_ names: [String], base: RemoteRecord?, _ session: PushSession) async throws(MonicaError) -> Self
  {
    var current = self
    let path = "\(Self.path)/\(self.head.id)"
    let added = names.filter { name in !self.tags.contains { TagResource.isSame($0.name, name) } }
    if !added.isEmpty { current = try await session.post("\(path)/setTags", ["tags": .list(added.map { .text($0) })]) }
    // The tags that the person removed. After an interrupted attempt there is no base, so none are removed.
    let removed = (base?.person.tags ?? []).filter { name in !names.contains { TagResource.isSame($0, name) } }
    let ids = current.tags.filter { tag in removed.contains { TagResource.isSame($0, tag.name) } }.map(\.head.id)
    if !ids.isEmpty { current = try await session.post("\(path)/unsetTag", ["tags": .list(ids.map { .id($0) })]) }
    return current
  }
}

extension ReminderResource {
  /// Whether it is a reminder of this day.
  fileprivate func isOn(_ date: SpecialDate?) -> Bool {
    guard let (month, day) = date?.monthAndDay, let own = Day(self.initialDate)?.components else { return false }
    return own.month == month && own.day == day
  }
}
