import KithMessages
import Testing

/// The tables that are made of `proto/` say what they said before: kinds with their numbers, and each field with its rules.
@Suite struct RecordTableTests {
  /// Number, name, what it holds, and rules, of the fields that are not as in ``shared``.
  private static let own: [RecordKind: String] = [
    .person: """
    20 first_name text <=255 required line searched
    21 middle_name text <=255 line searched
    22 last_name text <=255 line searched
    23 nickname text <=255 line searched
    24 gender text <=255 line catalog:gender
    25 description text <=255 text
    26 birthday text past partialDay
    27 birthday_reminder flag
    28 is_dead flag
    29 deceased_on text past partialDay
    30 job text <=255 line
    31 company text <=255 line searched
    32 food_preferences text <=65535 text
    33 how_met text <=65535 text
    34 tags texts <=255 items<=50 set line
    35 is_partial flag
    50 display_name text read-only server searched follows:first_name,middle_name,last_name,nickname
    51 is_starred flag read-only server
    52 is_archived flag read-only server
    53 is_me flag read-only server
    54 stay_in_touch_days number read-only server
    55 last_interaction_at moment read-only derived
    56 contact_id text read-only derived
    57 photo message read-only hub
    58 last_called_at moment read-only derived
    """,
    .contactField: """
    20 type text <=255 required line catalog:contact_field_type
    21 data text <=255 required line
    22 labels texts <=255 items<=20 set line
    """,
    .address: """
    20 name text <=255 line
    21 street text <=255 line
    22 city text <=255 line
    23 province text <=255 line
    24 postal_code text <=255 line
    25 country text country
    26 latitude text <=255 latitude
    27 longitude text <=255 longitude
    28 labels texts <=255 items<=20 set line
    """,
    .note: """
    20 body text <=100000 required text searched
    21 is_favorite flag
    50 person_name text read-only derived
    51 truncated flag read-only derived
    """,
    .task: """
    3 person_id text fixed derived
    20 title text <=255 required line
    21 description text <=65535 text
    22 is_completed flag
    23 completed_at moment read-only server follows:is_completed
    50 person_name text read-only derived
    51 truncated flag read-only derived
    """,
    .activity: """
    3 person_id text fixed derived
    20 summary text <=255 required line searched
    21 description text <=65535 text searched
    22 happened_on text required past day
    23 participants texts <=255 items<=100 set line
    24 type text <=255 line catalog:activity_type
    50 participant_names texts read-only derived
    51 truncated flag read-only derived
    """,
    .gift: """
    20 name text <=255 required line
    21 status text required of:idea,offered,received
    22 comment text <=65535 text
    23 url text <=2000 line
    24 amount text amount
    25 date text day
    50 person_name text read-only derived
    51 truncated flag read-only derived
    """,
    .tag: """
    20 name text <=255 required line
    50 people number read-only derived
    """,
    .relationship: """
    20 other_id text required fixed
    21 type text <=255 required line catalog:relationship_type
    22 reverse_type text read-only server follows:type
    50 other_name text read-only derived
    """,
    .reminder: """
    20 title text <=255 required line
    21 description text <=65535 text
    22 initial_date text required day
    23 frequency text required of:one_time,week,month,year
    24 every number <=1000 >=1
    50 next_on text read-only server day follows:initial_date,frequency,every
    51 is_automatic flag read-only server
    52 truncated flag read-only derived
    """,
    .call: """
    20 called_at moment past
    21 duration_minutes number <=1440
    22 emotion text of:happy,neutral,sad,frustrated,excited
    23 note text <=5000 text searched
    24 they_called flag
    25 tags texts <=64 items<=20 set word searched
    26 attachments messages items<=10 hub
    27 is_running flag read-only hub
    50 person_name text read-only derived
    51 truncated flag read-only derived
    """,
    .conversation: """
    20 channel text <=255 required line catalog:contact_field_type
    21 happened_at moment required past
    22 messages messages each searched
    50 person_name text read-only derived
    51 truncated flag read-only derived
    """,
  ]
  /// Of every kind, where ``own`` does not say otherwise.
  private static let shared = """
    1 id text read-only derived
    2 monica_id number read-only derived
    3 person_id text required fixed derived
    4 sync_state text read-only derived of:synced,pending,syncing,failed,conflict,here
    5 sync_error message read-only derived
    6 last_attempt_at moment read-only derived
    7 created_at moment read-only derived
    8 updated_at moment read-only derived
    9 deleted_at moment read-only derived
    """

  private func words(_ field: FieldRules) -> String {
    var words = ["\(field.number)", field.name, "\(field.kind)\(field.isRepeated ? "s" : "")"]
    if field.max > 0 { words.append("<=\(field.max)") }
    if field.min > 0 { words.append(">=\(field.min)") }
    if field.maxItems > 0 { words.append("items<=\(field.maxItems)") }
    let flags = [
      ("required", field.isRequired), ("read-only", field.isReadOnly), ("fixed", field.isFixed), ("past", field.isPast),
    ]
    words += flags.filter { $0.1 }.map { $0.0 }
    if field.place != .both { words.append("\(field.place)") }
    if field.merge != .value { words.append("\(field.merge)") }
    if field.format != .any { words.append("\(field.format)") }
    if field.isSearched { words.append("searched") }
    if !field.catalog.isEmpty { words.append("catalog:\(field.catalog)") }
    if !field.choices.isEmpty { words.append("of:\(field.choices.joined(separator: ","))") }
    if !field.follows.isEmpty { words.append("follows:\(field.follows.joined(separator: ","))") }
    return words.joined(separator: " ")
  }

  @Test(arguments: RecordKind.allCases) func fields(_ kind: RecordKind) throws {
    let own = try #require(Self.own[kind]).split(separator: "\n").map(String.init)
    let numbers = Set(own.map { $0.prefix { $0 != " " } })
    let shared = Self.shared.split(separator: "\n").map(String.init)
      .filter { !numbers.contains($0.prefix { $0 != " " }) && (!kind.isNobodys || !$0.contains("person_id")) }
    let expected = (own + shared).sorted { ($0.number, $0) < ($1.number, $1) }
    #expect(kind.fields.map(self.words) == expected)
  }

  @Test func kinds() {
    let kinds = RecordKind.allCases.map { kind in
      let rules = kind.rules
      return "\(kind.rawValue) \(rules.kind) \(rules.owner) \(rules.stream)"
        + (rules.isByName ? " by-name" : "") + (rules.outlivesPerson ? " outlives-person" : "")
    }
    #expect(
      kinds == [
        "1 person nobody people by-name", "2 contact_field person people", "3 address person people",
        "4 note person people", "5 task personOrNobody people", "6 activity person people outlives-person",
        "7 gift person people", "8 tag nobody people by-name", "9 relationship person people",
        "10 reminder person people", "11 call person calls", "12 conversation person conversations",
      ])
    #expect(RecordKind(named: "contact_field") == .contactField && RecordKind(named: "contactField") == nil)
  }
}

extension RecordKind {
  fileprivate var isNobodys: Bool { self.rules.owner == .nobody }
}

extension String {
  /// That a line begins with.
  fileprivate var number: Int { Int(self.prefix { $0 != " " }) ?? 0 }
}
