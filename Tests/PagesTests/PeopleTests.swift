import Bus
import CivilTime
import Foundation
import KithMessages
import SwiftProtobuf
import Testing

@testable import Pages

@Suite struct PeopleTests {
  private let view = PageView(
    language: .english, zone: Zone(named: "Asia/Tokyo") ?? .system(), now: 1_795_500_000_000_000_000, device: "hanako",
    role: .recorder, forms: PageView.Forms(code: "code") { "id" })
  private let kinds = RecordKind.allCases.compactMap { $0.type as? any FormRecord.Type }

  // MARK: - Links

  @Test(arguments: [
    ("email", "ann@example.org", "mailto:ann@example.org"), ("phone", "+81 (3) 1234-5678", "tel:+81312345678"),
    ("Phone", "０３－１２３４", "tel:031234"), ("phone", "020 7946 0958 ext 12", "tel:02079460958"),
    ("Whatsapp", "+49 151 2345", "tel:+491512345"), ("web", "https://example.org/a?b=1", "https://example.org/a?b=1"),
    ("Website", "example.org/ann", "https://example.org/ann"),
  ])
  func waysLeadSomewhere(_ type: String, _ data: String, _ address: String) {
    #expect(ReachLink(type: type, data: data)?.address == address)
  }

  @Test(arguments: [
    ("Telegram", "ann.lee"), ("Twitter", "@ann"), ("web", "javascript:alert(1)"), ("web", "https://a b"),
    ("phone", "ask Tom"),
    ("email", "ann@home"), ("other", ""),
  ])
  func namesLeadNowhere(_ type: String, _ data: String) { #expect(ReachLink(type: type, data: data) == nil) }

  @Test func addressesLeadToAMap() {
    let place = PersonAddress.with {
      $0.latitude = "35.68"
      $0.longitude = "139.76"
      $0.street = "1-1"
    }
    #expect(ReachLink(place)?.address == "https://www.openstreetmap.org/?mlat=35.68&mlon=139.76#map=17/35.68/139.76")
    let words = PersonAddress.with {
      $0.street = "1 High St"
      $0.city = "Bath & Wells"
    }
    #expect(
      ReachLink(words)?.address == "https://www.openstreetmap.org/search?query=1%20High%20St%2C%20Bath%20%26%20Wells")
    #expect(ReachLink(PersonAddress()) == nil)
  }

  // MARK: - Days

  @Test(arguments: [
    (0, "today"), (-1, "yesterday"), (1, "tomorrow"), (-4, "4 days ago"), (13, "in 13 days"), (-14, "2 weeks ago"),
    (-60, "2 months ago"),
    (729, "in 24 months"), (-730, "2 years ago"),
  ])
  func daysHaveADistance(_ days: Int, _ words: String) {
    #expect(self.view.distance(to: self.view.today.adding(days: days)) == words)
  }

  @Test func birthdaysWithAndWithoutYear() throws {
    let today = try #require(Day("2026-11-24"))
    let whole = try #require(PartialDay("1950-11-25"))
    #expect(whole.words(self.view) == "25 Nov 1950" && whole.years(until: today) == 75)
    #expect(whole.years(until: today.adding(days: 1)) == 76 && whole.next(from: today) == today.adding(days: 1))
    let yearless = try #require(PartialDay("--02-29"))
    #expect(yearless.words(self.view) == "29 Feb" && yearless.years(until: today) == nil)
    let leapYear = try #require(Day("2028-01-01"))
    #expect(yearless.next(from: today) == Day("2027-03-01") && yearless.next(from: leapYear) == Day("2028-02-29"))
    let year = try #require(PartialDay("~1950"))
    #expect(year.words(self.view) == "about 1950" && year.years(until: today) == 76 && year.next(from: today) == nil)
    for text in ["", "1950", "--13-01", "~0", "1950-02-30"] { #expect(PartialDay(text) == nil) }
  }

  // MARK: - Forms

  @Test func everyFieldOfAFormHasItsWords() {
    #expect(self.kinds.count == RecordKind.allCases.count - 1, "every kind but calls")
    for type in self.kinds {
      for field in type.fieldRules where (field.isEditable || field.isFixed) && field.name != "person_id" {
        guard !type.leftOut.contains(field.name) else { continue }
        #expect(FieldWords.label(field.name, of: type.kind) != nil, "\(type.kind.name) \(field.name)")
        for word in field.choices { #expect(FieldWords.choice(word)(.japanese) != word) }
      }
    }
  }

  @Test func aFormHasWhatItsRulesSay() throws {
    let form = RecordForm(view: self.view, catalog: Catalog([])).creation(Gift.self, of: "P", next: "/people/P").text
    #expect(
      form.contains(#"action="/forms/kith.v1.Gifts/Create""#) && form.contains(#"name="record.personId" value="P""#))
    #expect(form.contains(#"name="record.name" value="" required maxlength="255""#))
    #expect(form.contains(#"<select name="record.status" required><option value="idea">idea</option>"#))
    #expect(
      form.contains(#"<option value="offered">given</option>"#) && form.contains(#"type="date" name="record.date""#))
    #expect(
      form.contains(#"name="record.amount" value="" inputmode="decimal""#)
        && form.contains(#"<textarea name="record.comment""#))
    #expect(!form.contains("syncState") && !form.contains("monicaId") && !form.contains("truncated"))
  }

  @Test func aCorrectionNamesTheFieldsThatItShows() throws {
    let task = TaskItem.with {
      $0.id = "T"
      $0.title = "Send <photos>"
      $0.isCompleted = true
      $0.updatedAt = .init(nanosecondsSince1970: 1_795_000_000_123_456_789)
    }
    let form = RecordForm(view: self.view, catalog: Catalog([])).correction(task, of: "P", next: "/people/P").text
    let named = form.matches(of: /name="fields\[\]" value="(\w+)"/).map { String($0.1) }
    #expect(named == ["title", "description", "is_completed"])
    #expect(form.contains(#"value="Send &lt;photos&gt;""#) && form.contains("123456789Z"))
    #expect(form.contains(#"name="record.isCompleted:bool" value="true" checked"#))
  }

  @Test func aDeletedRecordIsRecordedAgainAsItWas() throws {
    let conversation = Conversation.with {
      $0.personID = "P"
      $0.channel = "in person"
      $0.happenedAt = .init(nanosecondsSince1970: 1_795_000_000_000_000_000)
      $0.messages = ["Hello\nthere & <b>", "Bye"].enumerated().map { number, text in
        ConversationMessage.with {
          $0.content = text
          $0.writtenAt = .init(nanosecondsSince1970: 1_795_000_000_000_000_000)
          $0.writtenByMe = number == 1
        }
      }
    }
    #expect(try self.again(conversation, as: CreateConversationRequest.self) == conversation)
    let reminder = PersonReminder.with {
      $0.personID = "P"
      $0.title = "Send a card"
      $0.initialDate = "2026-12-10"
      $0.frequency = "year"
      $0.every = 2
    }
    #expect(try self.again(reminder, as: CreatePersonReminderRequest.self) == reminder)
    let activity = Activity.with {
      $0.personID = "P"
      $0.summary = "Walk"
      $0.happenedOn = "2026-11-20"
      $0.participants = ["P", "Q"]
    }
    #expect(try self.again(activity, as: CreateActivityRequest.self) == activity)
  }

  /// What the hub gets from the form that records a record again.
  private func again<R: FormRecord>(_ record: R, as type: R.Creation.Type) throws -> R {
    let form = RecordForm(view: self.view, catalog: Catalog([])).again(record, next: "/").text
    let fields = form.matches(of: /<input type="hidden" name="([^"]*)" value="([^"]*)">/).map { match in
      (name: String(match.1), value: Self.unescaped(String(match.2)))
    }
    return try R.Creation(jsonString: FormMessage(fields, zone: self.view.zone).json).record
  }

  private static func unescaped(_ text: String) -> String {
    [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")].reduce(text) {
      $0.replacingOccurrences(of: $1.0, with: $1.1)
    }
  }

  @Test func theServersNamesComeAfterThoseOfTheHub() {
    let entry = { (catalog: String, name: String, type: String) in
      CatalogEntry.with {
        $0.catalog = catalog
        $0.name = name
        $0.type = type
      }
    }
    let read = Catalog([
      entry("contact_field_type", "Email", "email"), entry("contact_field_type", "Whatsapp", ""),
      entry("relationship_type", "godparent", ""),
    ])
    #expect(read.names("contact_field_type", ContactField.plainNames) == ["phone", "email", "Whatsapp"])
    #expect(read.names("relationship_type", []) == ["godparent"] && read.names("", ["a"]).isEmpty)
    #expect(Catalog([]).names("relationship_type", []).isEmpty)
  }

  // MARK: - The picture

  @Test(arguments: 1...RelationPicture.most)
  func peopleAroundAPersonDoNotOverlap(_ count: Int) {
    let places = RelationPicture.places(count)
    #expect(places.count == count && Set(places).count == count)
    for place in places {
      #expect(
        (24...RelationPicture.height(count) - 24).contains(place.y)
          && (80...RelationPicture.width - 80).contains(place.x))
      // The person in the middle has a radius of 22, each of the others one of 14.
      let (dx, dy) = (place.x - RelationPicture.width / 2, place.y - RelationPicture.height(count) / 2)
      #expect(dx * dx + dy * dy > 36 * 36, "\(place)")
    }
    for side in [true, false] {
      let rows = places.filter { $0.isLeft == side }.map(\.y).sorted()
      for (upper, lower) in zip(rows, rows.dropFirst()) { #expect(lower - upper >= 48) }
    }
  }

  @Test func longNamesAreShortened() {
    #expect(
      "Ingrid Berg".shortened(to: 12) == "Ingrid Berg" && "Maximiliane von Berg".shortened(to: 12) == "Maximiliane …")
    #expect("佐藤よし子と花子".shortened(to: 12) == "佐藤よし子と…" && "".shortened(to: 4) == "")
  }

  @Test func aPersonWithoutRelationsHasNoPicture() {
    #expect(RelationPicture.html(of: Person(), [], self.view).text.isEmpty)
  }
}
