internal import Bus
internal import CivilTime
internal import KithMessages
internal import SwiftProtobuf

/// The forms that create, correct and record again a record. Their fields are made from the rules that `proto/` states for them.
struct RecordForm: Sendable {
  let view: PageView
  let catalog: Catalog
  /// The people among whom fields choose that name people; without any, those fields are left out.
  var people: [(id: String, name: String)] = []

  /// The form that creates a record.
  ///
  /// - Parameters:
  ///   - person: The id of the person to whom it belongs; empty = the form asks, if the kind belongs to people.
  ///   - next: The page that is shown afterwards.
  func creation<R: FormRecord>(_ type: R.Type, of person: String, next: String) -> HTML {
    let shown = self.shown(R.self, isNew: true)
    var form = Form(R.Creation.method, next: next, self.view).creating()
    if !person.isEmpty { form = form.with("record.personId", person) }
    if let moment = shown.first(where: { $0.rules.kind == .moment && $0.rules.isRequired }) {
      form = form.noting(needed: "record.\(moment.rules.jsonName)")
    }
    let draft = R()
    let usual = shown.filter { !R.rare.contains($0.name) }.map { self.field($0, of: draft) }
    let rare = shown.filter { R.rare.contains($0.name) }.map { self.field($0, of: draft) }
    let owner: HTML =
      R.kind.rules.owner == .nobody || !person.isEmpty
      ? ""
      : self.view.select(
        .person, "record.personId", "", self.choice(), R.kind.rules.owner == .person ? " required" : "")
    let hidden: HTML = rare.isEmpty ? "" : "<details><summary>\(self.view[.more])</summary>\(HTML(rare))</details>"
    return form.html(
      "\(owner)\(HTML(usual))\(hidden)<button class=\"primary\" data-test=\"save\">\(self.view[.save])</button>")
  }

  /// The form that corrects a record.
  func correction<R: FormRecord>(_ record: R, of person: String, next: String) -> HTML {
    let shown = self.shown(R.self, isNew: false)
    var form = Form(R.Change.method, next: next, self.view).with("record.id", record.id)
      .guarded(by: "ifUpdatedAt", record.updatedAt.rfc3339)
    // From whose side a relationship is seen.
    if !person.isEmpty, R.kind.rules.owner != .nobody { form = form.with("record.personId", person) }
    for field in shown { form = form.with("fields[]", field.name) }
    let fields = HTML(shown.map { self.field($0, of: record) })
    return form.html("\(fields)<button class=\"primary\" data-test=\"save\">\(self.view[.save])</button>")
  }

  /// The button that records once more what a deleted record had.
  func again<R: FormRecord>(_ record: R, next: String) -> HTML {
    var form = Form(R.Creation.method, next: next, self.view).creating()
    if !record.personID.isEmpty { form = form.with("record.personId", record.personID) }
    for field in R.fields where (field.rules.isEditable || field.rules.isFixed) && field.name != "person_id" {
      for (name, value) in Self.values(field, of: record) { form = form.with("record.\(name)", value) }
    }
    return form.button(self.view[.recordAgain], test: "undo", style: "primary")
  }

  // MARK: - Fields

  /// The fields of a form, in the order of `proto/`.
  private func shown<R: FormRecord>(_ type: R.Type, isNew: Bool) -> [MessageField<R>] {
    R.fields.filter { field in
      guard field.name != "person_id", !R.leftOut.contains(field.name) else { return false }
      // Who else took part in something is said when it is corrected.
      if R.people.contains(field.name), self.people.isEmpty || isNew != field.rules.isFixed { return false }
      return switch field.value {
      case .text, .texts, .number, .flag, .moment: field.rules.isEditable || (isNew && field.rules.isFixed)
      case .messages: isNew
      case .items, .other: false
      }
    }
  }

  private func field<R: FormRecord>(_ field: MessageField<R>, of record: R) -> HTML {
    let rules = field.rules
    let label = FieldWords.label(field.name, of: R.kind) ?? Text(field.name, field.name)
    let name = "record.\(rules.jsonName)"
    let required: HTML = rules.isRequired ? " required" : ""
    switch field.value {
    case .text(let path):
      let value = record[keyPath: path]
      if R.people.contains(field.name) { return self.view.select(label, name, value, self.choice(), required) }
      let words = self.words(rules, R.plainNames, value)
      guard words.isEmpty else { return self.view.select(label, name, value, words, required) }
      return self.text(rules, label, name, value)
    case .texts(let path):
      let values = record[keyPath: path]
      if R.people.contains(field.name) {
        let chosen = record.namedPeople
        let others = self.people.filter { person in !chosen.contains { $0.id == person.id } }
        return self.view.select(
          label, "\(name)[]", all: values, (chosen + others).map { ($0.id, $0.name) }, " multiple size=\"6\" required")
      }
      return self.view.area(label, "\(name):lines", values.joined(separator: "\n"))
    case .number(let path):
      let value = record[keyPath: path]
      let bounds: HTML = " min=\"\(String(rules.min))\" max=\"\(String(rules.max))\""
      return self.view.input(label, name, value == 0 ? "\(rules.min)" : "\(value)", type: "number", bounds)
    case .flag(let path): return self.view.check(label, "\(name):bool", record[keyPath: path])
    case .moment(let moment):
      let value = moment(record).map { self.view.localValue(of: $0) } ?? ""
      // Without a time the form gets that at which it is sent.
      return self.view.input(label, "\(name):time", value, type: "datetime-local", value.isEmpty ? "" : required)
    case .messages:
      let limit: HTML = " maxlength=\"\(String(ConversationMessage.longest))\" data-test=\"memo\""
      return self.view.area(label, "\(name)[0].content", "", limit)
    case .items, .other: return ""
    }
  }

  private func text(_ rules: FieldRules, _ label: Text, _ name: String, _ value: String) -> HTML {
    let required: HTML = rules.isRequired ? " required" : ""
    let length: HTML = rules.max > 0 ? " maxlength=\"\(String(rules.max))\"" : ""
    let input = { (attributes: HTML) in self.view.input(label, name, value, type: "text", attributes) }
    switch rules.format {
    case .any: return self.view.area(label, name, value, "\(required)\(length)")
    case .day:
      let today = self.view.today.description
      let end: HTML = rules.isPast ? " max=\"\(today)\"" : ""
      let day = value.isEmpty && rules.isPast && rules.isRequired ? today : value
      return self.view.input(label, name, day, type: "date", "\(required)\(end)")
    case .partialDay:
      return input(
        """
        \(required) placeholder="1950-05-17" pattern="\\d{4}-\\d\\d-\\d\\d|--\\d\\d-\\d\\d|~\\d{4}" title="\(self.view[.partialDay])"
        """)
    case .amount: return input("\(required) inputmode=\"decimal\"")
    case .latitude, .longitude: return input("\(required)\(length) inputmode=\"text\"")
    case .country: return input("\(required) maxlength=\"2\" pattern=\"[A-Za-z]{2}\"")
    case .line, .word, .name, .time: return input("\(required)\(length)")
    }
  }

  /// The words among which a field chooses; none if it takes any text.
  private func words(_ rules: FieldRules, _ plain: [String], _ value: String) -> [(value: String, name: String)] {
    var words: [(value: String, name: String)] =
      rules.choices.isEmpty
      ? self.catalog.names(rules.catalog, plain).map { ($0, self.view[name: $0]) }
      : rules.choices.map { ($0, self.view[FieldWords.choice($0)]) }
    guard !words.isEmpty else { return [] }
    if !value.isEmpty, !words.contains(where: { $0.value == value }) {
      words.insert((value, self.view[name: value]), at: 0)
    }
    return (rules.isRequired ? [] : [("", "–")]) + words
  }

  /// The people among whom a field chooses one; at first none is chosen.
  private func choice() -> [(value: String, name: String)] { [("", "–")] + self.people.map { ($0.id, $0.name) } }

  /// The fields of a form that have a value as it is.
  private static func values<R: FormRecord>(_ field: MessageField<R>, of record: R) -> [(name: String, value: String)] {
    let name = field.rules.jsonName
    switch field.value {
    case .text(let path): return [(name, record[keyPath: path])]
    case .texts(let path): return record[keyPath: path].map { ("\(name)[]", $0) }
    case .number(let path): return record[keyPath: path] == 0 ? [] : [(name, "\(record[keyPath: path])")]
    case .flag(let path): return record[keyPath: path] ? [("\(name):bool", "true")] : []
    case .moment(let moment): return moment(record).map { [(name, $0.rfc3339)] } ?? []
    case .messages(let path):
      return record[keyPath: path].enumerated().flatMap { number, message in
        [
          ("\(name)[\(number)].content", message.content), ("\(name)[\(number)].writtenAt", message.writtenAt.rfc3339),
          ("\(name)[\(number)].writtenByMe:bool", message.writtenByMe ? "true" : ""),
        ]
      }
    case .items, .other: return []
    }
  }
}

/// The names that fields offer: the Monica server's, or those that every household has.
struct Catalog: Sendable {
  private let entries: [CatalogEntry]

  /// Takes the entries of all catalogs; none if the server was not read yet, and then the hub accepts any name.
  init(_ entries: [CatalogEntry]) { self.entries = entries }

  /// Asks the hub.
  static func read(_ hub: some Port) async throws(Failure) -> Catalog {
    Catalog(try await hub.ask(CatalogRequest()).entries)
  }

  /// The names of a catalog, after those that the hub knows itself.
  func names(_ catalog: String, _ plain: [String]) -> [String] {
    guard !catalog.isEmpty else { return [] }
    let known = self.entries.filter { $0.catalog == catalog && !plain.contains($0.type) }.map(\.name)
    return plain + known.filter { !plain.contains($0) }
  }
}

extension Text {
  fileprivate static let recordAgain = Text("Record it again", "もう一度記録する")
  fileprivate static let partialDay = Text(
    "1950-05-17, --05-17 without the year, or ~1950 if only the age is known", "1950-05-17、年なしは --05-17、年齢だけなら ~1950")
}
