internal import Bus
internal import CivilTime
internal import KithMessages

/// Records, as lists show them: each with what matters about it, and with a link that leads to where it is corrected.
struct RecordList: Sendable {
  let view: PageView
  /// The page on which the list is; forms in it lead back there.
  let path: String
  /// Whether the records are of several people, so that each says whose it is.
  let showsPerson: Bool

  /// A list; a sentence if it is empty.
  func html<R: PersonRecord>(_ records: [R], of person: String) -> HTML {
    guard !records.isEmpty else { return "<p class=\"empty\">\(self.view[R.words.none])</p>" }
    let items = HTML(
      records.map { record in
        let owner = person.isEmpty ? record.personID : person
        let change: HTML =
          self.view.canRecord
          ? " <a class=\"change\" href=\"\(Self.path(R.self, owner, record.id))\">\(self.view[.edit])</a>" : ""
        return """
          <li data-test="\(R.kind.name)">\(record.line(in: self))\(SyncMark(view: self.view).html(record.syncState))\(change)</li>
          """
      })
    return "<ul class=\"records\">\(items)</ul>"
  }

  /// The address of a list of records of a person, or of one of them.
  static func path<R: FormRecord>(_ type: R.Type, _ person: String, _ id: String = "") -> String {
    let query = [("person", person), ("id", id)].filter { !$0.1.isEmpty }.map { "\($0.0)=\(AddressText.encoded($0.1))" }
    return "/records/\(R.kind.name)" + (query.isEmpty ? "" : "?\(query.joined(separator: "&"))")
  }

  /// The person to whom a record belongs, in lists of several people.
  fileprivate func owner(_ name: String, _ id: String) -> HTML {
    self.showsPerson && !id.isEmpty ? "<a class=\"kind\" href=\"/people/\(id)\">\(name)</a> " : ""
  }

  /// A text in full if it is short; its beginning else.
  fileprivate func words(_ text: String) -> HTML {
    guard !text.isEmpty else { return "" }
    let beginning = text.prefix(500)
    return " <span class=\"words\">\(String(beginning))\(beginning.endIndex == text.endIndex ? "" : "…")</span>"
  }

  /// A day of a record as it is written; how far it is from today beside it.
  fileprivate func day(_ text: String) -> HTML { Day(text).map { self.view.dated($0) } ?? "\(text)" }
}

// MARK: - What a list says about each kind

extension Person {
  func line(in list: RecordList) -> HTML { "<a href=\"/people/\(self.id)\">\(self.shownName)</a>" }
}

extension Tag {
  func line(in list: RecordList) -> HTML {
    "<a class=\"badge\" href=\"/people?tag=\(AddressText.encoded(self.name))\">\(self.name)</a>"
  }
}

extension ContactField {
  func line(in list: RecordList) -> HTML {
    let labels = self.labels.isEmpty ? "" : " (\(self.labels.map { list.view[label: $0] }.joined(separator: ", ")))"
    let link = ReachLink.html(ReachLink(type: self.type, data: self.data), self.data)
    return "\(list.view[name: self.type]): \(link)\(labels)"
  }
}

extension PersonAddress {
  func line(in list: RecordList) -> HTML {
    let labels = ([self.name] + self.labels.map { list.view[label: $0] }).filter { !$0.isEmpty }.joined(separator: ", ")
    let place = self.words.isEmpty ? "\(self.latitude), \(self.longitude)" : self.words
    return "\(labels.isEmpty ? "" : "\(labels): ")\(ReachLink.html(ReachLink(self), place))"
  }
}

extension PersonReminder {
  func line(in list: RecordList) -> HTML {
    let again = self.knownFrequency.map { list.view[again: $0, Int(self.every)] } ?? ""
    return
      "\(list.day(self.nextOn.isEmpty ? self.initialDate : self.nextOn)) \(self.title) \(again)\(list.words(self.description_p))"
  }
}

extension Note {
  func line(in list: RecordList) -> HTML {
    let star: HTML = self.isFavorite ? "<span role=\"img\" aria-label=\"\(list.view[.favorite])\">★</span> " : ""
    let day = list.view.zone.day(at: self.createdAt.nanosecondsSince1970)
    return "\(list.owner(self.personName, self.personID))\(star)\(list.view.dated(day))\(list.words(self.body))"
  }
}

extension TaskItem {
  func line(in list: RecordList) -> HTML {
    let state: HTML
    if self.isCompleted {
      state = "<span role=\"img\" aria-label=\"\(list.view[.taskDone])\">✓</span> "
    } else if list.view.canRecord, !self.hasDeletedAt {
      state = Form(Methods.tasksUpdate, next: list.path, list.view).with("record.id", self.id)
        .with("record.isCompleted:bool", "true").with("fields[]", "is_completed").button(list.view[.taskDone])
    } else {
      state = ""
    }
    return "\(list.owner(self.personName, self.personID))\(state) \(self.title)\(list.words(self.description_p))"
  }
}

extension Activity {
  func line(in list: RecordList) -> HTML {
    let people = self.namedPeople.map { "<a href=\"/people/\($0.id)\">\($0.name)</a>" as HTML }
    let others: HTML =
      people.count > 1 || list.showsPerson ? " <span class=\"with\">\(HTML(people.map { "\($0) " }))</span>" : ""
    let type = self.type.isEmpty ? "" : " (\(list.view[name: self.type]))"
    return "\(list.day(self.happenedOn)) \(self.summary)\(type)\(others)\(list.words(self.description_p))"
  }
}

extension Gift {
  func line(in list: RecordList) -> HTML {
    let state = self.knownStatus.map { list.view[$0.name] } ?? self.status
    let link: HTML = self.url.isEmpty ? "" : " \(ReachLink.html(ReachLink(type: "web", data: self.url), self.url))"
    let value: HTML = self.amount.isEmpty ? "" : " · \(self.amount)"
    let day: HTML = self.date.isEmpty ? "" : " · \(list.day(self.date))"
    return
      "\(list.owner(self.personName, self.personID))\(self.name) (\(state))\(value)\(day)\(link)\(list.words(self.comment))"
  }
}

extension Relationship {
  func line(in list: RecordList) -> HTML {
    "\(list.view[relation: self.type]): <a href=\"/people/\(self.otherID)\">\(self.otherName)</a>"
  }
}

extension Conversation {
  func line(in list: RecordList) -> HTML {
    let channel = list.view[name: self.channel]
    let when: HTML = "\(list.view.dayAndTime(of: self.happenedAt)) · \(channel)"
    let path = RecordList.path(Conversation.self, self.personID, self.id)
    return
      "\(list.owner(self.personName, self.personID))<a href=\"\(path)\">\(when)</a>\(list.words(self.messages.first?.content ?? ""))"
  }
}

extension Text {
  fileprivate static let favorite = Text("Favourite", "お気に入り")
  fileprivate static let taskDone = Text("Done", "完了")
}
