internal import Bus
internal import CivilTime
internal import KithMessages

/// The parts of the page of a person, each with the form that adds to it.
struct PersonParts: Sendable {
  let view: PageView
  let person: Person

  private var path: String { "/people/\(self.person.id)" }

  /// Ways to reach the person, as links that a phone opens.
  func ways(_ details: PersonDetails) -> HTML {
    let items = HTML(
      details.fields.map { field in
        let data = field.data
        let link: HTML
        if data.contains("@") {
          link = "<a href=\"mailto:\(data)\">\(data)</a>"
        } else if data.hasPrefix("https://") || data.hasPrefix("http://") {
          link = "<a href=\"\(data)\" rel=\"noreferrer\">\(data)</a>"
        } else if data.contains(where: \.isNumber), !data.contains(where: \.isLetter) {
          link = "<a href=\"tel:\(data.filter { $0.isNumber || "+*#".contains($0) })\">\(data)</a>"
        } else {
          link = "\(data)"
        }
        return "<li>\(field.type): \(link)</li>"
      })
    let form = self.adding(
      Methods.peopleAddField,
      """
      \(self.view.input(.kindOfWay, "record.type", "Phone"))\(self.view.input(.numberOrAddress, "record.data", type: "text", " required"))
      """, Text("Add a number or address", "連絡先を追加"))
    return "<ul>\(items)</ul>\(form)"
  }

  /// The buttons that log a call.
  func calling(_ details: PersonDetails) -> HTML {
    guard self.view.canRecord else { return "" }
    let phone = details.fields.map(\.data).first { $0.contains(where: \.isNumber) && !$0.contains(where: \.isLetter) }
    let dial: HTML =
      phone.map { phone -> HTML in
        "<a class=\"button\" href=\"tel:\(phone.filter { $0.isNumber || "+*#".contains($0) })\">\(self.view[.call])</a>"
      } ?? ""
    return """
      <p class="actions">\(dial)\
      \(Form(Methods.callsStart, next: "/calls", self.view).creating().with("personId", self.person.id)
        .button(self.view[.startTimer], test: "call-start", style: "primary"))\
      \(Form(Methods.callsQuick, next: self.path, self.view).creating().with("personId", self.person.id)
        .button(self.view[.justCalled]))</p>
      """
  }

  /// Calls.
  func calls(_ calls: [Call]) -> HTML {
    self.section(
      .calls, CallParts(view: self.view).list(calls, showsPerson: false),
      self.adding(
        Methods.callsLog, CallParts(view: self.view).fields(Call()), Text("Log a call", "電話を記録"), now: "record.calledAt"
      ))
  }

  /// Postal addresses.
  func addresses(_ addresses: [PersonAddress]) -> HTML {
    let items = HTML(
      addresses.map { address in
        let text = [address.street, address.city, address.province, address.postalCode, address.country]
          .filter { !$0.isEmpty }.joined(separator: ", ")
        return """
          <li>\(address.name) <a href="https://www.openstreetmap.org/search?query=\(AddressText.encoded(text))" rel="noreferrer">\(text)</a></li>
          """
      })
    return self.section(
      Text("Addresses", "住所"), "<ul>\(items)</ul>",
      self.adding(
        Methods.peopleAddAddress,
        """
        \(self.view.input(Text("Name", "名称"), "record.name"))\(self.view.input(Text("Street", "番地"), "record.street"))
        \(self.view.input(Text("City", "市区町村"), "record.city"))\(self.view.input(Text("Postal code", "郵便番号"), "record.postalCode"))
        """, Text("Add an address", "住所を追加")))
  }

  /// Notes.
  func notes(_ notes: [Note]) -> HTML {
    let items = HTML(
      notes.map { note in
        """
        <li><span class="words">\(note.isFavorite ? "★ " : "")\(note.body)</span> \(self.view.dayAndTime(of: note.createdAt))\
        \(SyncMark(view: self.view).html(note.syncState)) \(self.deleting(Methods.notesDelete, note.id))</li>
        """
      })
    return self.section(
      Text("Notes", "メモ"), "<ul>\(items)</ul>",
      self.adding(
        Methods.notesCreate, self.view.area(.note, "record.body", "", " required maxlength=\"100000\""),
        Text("Add a note", "メモを追加")))
  }

  /// Tasks, open ones first.
  func tasks(_ tasks: [TaskItem]) -> HTML {
    let items = HTML(
      tasks.map { task in
        let done: HTML =
          task.isCompleted || !self.view.canRecord
          ? (task.isCompleted ? "✓ " : "")
          : Form(Methods.tasksUpdate, next: self.path, self.view).with("record.id", task.id).with(
            "record.isCompleted:bool", "true"
          )
          .with("fields[]", "is_completed").button(self.view[Text("Done", "完了")])
        return "<li>\(done) \(task.title) <span class=\"words\">\(task.description_p)</span></li>"
      })
    return self.section(
      Text("Tasks", "タスク"), "<ul>\(items)</ul>",
      self.adding(
        Methods.tasksCreate,
        self.view.input(Text("Task", "内容"), "record.title", type: "text", " required maxlength=\"255\""),
        Text("Add a task", "タスクを追加")))
  }

  /// Activities, newest first.
  func activities(_ activities: [Activity]) -> HTML {
    let items = HTML(
      activities.map { "<li>\($0.happenedOn) \($0.summary) <span class=\"words\">\($0.description_p)</span></li>" })
    return self.section(
      Text("Activities", "できごと"), "<ul>\(items)</ul>",
      self.adding(
        Methods.activitiesCreate,
        """
        \(self.view.input(Text("What", "内容"), "record.summary", type: "text", " required maxlength=\"255\""))
        \(self.view.input(.when, "record.happenedOn", self.view.today.description, type: "date", " required"))
        \(self.view.area(.note, "record.description"))
        """, Text("Add an activity", "できごとを追加")))
  }

  /// Gifts.
  func gifts(_ gifts: [Gift]) -> HTML {
    let items = HTML(
      gifts.map { gift in
        let url: HTML =
          gift.url.hasPrefix("https://") || gift.url.hasPrefix("http://")
          ? " <a href=\"\(gift.url)\" rel=\"noreferrer\">\(gift.url)</a>" : ""
        let state = GiftStatus(rawValue: gift.status).map { self.view[$0.name] } ?? ""
        return "<li>\(gift.name) (\(state)) \(gift.amount)\(url) <span class=\"words\">\(gift.comment)</span></li>"
      })
    return self.section(
      Text("Gifts", "贈り物"), "<ul>\(items)</ul>",
      self.adding(
        Methods.giftsCreate,
        """
        \(self.view.input(Text("What", "品物"), "record.name", type: "text", " required maxlength=\"255\""))
        \(self.view.select(Text("State", "状態"), "record.status", "idea", GiftStatus.allCases.map { ($0.rawValue, self.view[$0.name]) }))
        """, Text("Add a gift", "贈り物を追加")))
  }

  /// Relationships, each as a link to the other person.
  func relationships(_ relationships: [Relationship]) -> HTML {
    let items = HTML(relationships.map { "<li>\($0.type): <a href=\"/people/\($0.otherID)\">\($0.otherName)</a></li>" })
    return self.section(Text("Relationships", "家族・関係"), "<ul>\(items)</ul>", "")
  }

  /// Conversations.
  func conversations(_ conversations: [Conversation]) -> HTML {
    let items = HTML(
      conversations.map { conversation in
        """
        <li>\(self.view.dayAndTime(of: conversation.happenedAt)) \(conversation.channel) <span class="words">\
        \(conversation.messages.map(\.content).joined(separator: "\\n"))</span></li>
        """
      })
    return self.section(Text("Conversations", "会話"), "<ul>\(items)</ul>", "")
  }

  /// Reminders that the server keeps.
  func reminders(_ reminders: [PersonReminder]) -> HTML {
    let items = HTML(reminders.map { "<li>\($0.nextOn.isEmpty ? $0.initialDate : $0.nextOn) \($0.title)</li>" })
    return self.section(Text("Reminders", "リマインダー"), "<ul>\(items)</ul>", "")
  }

  private func section(_ title: Text, _ list: HTML, _ form: HTML) -> HTML {
    "<section class=\"card\"><h2>\(self.view[title])</h2>\(list)\(form)</section>"
  }

  /// A form that adds a record to the person.
  private func adding(_ method: Method, _ fields: HTML, _ label: Text, now: String? = nil) -> HTML {
    guard self.view.canRecord else { return "" }
    var form = Form(method, next: self.path, self.view).creating().with("record.personId", self.person.id)
    if let now { form = form.noting(now: now) }
    return """
      <details><summary>\(self.view[label])</summary>\(form.html("\(fields)<button>\(self.view[.save])</button>"))</details>
      """
  }

  private func deleting(_ method: Method, _ id: String) -> HTML {
    guard self.view.canRecord else { return "" }
    return Form(method, next: self.path, self.view).with("id", id).button(self.view[.delete])
  }
}

extension GiftStatus {
  fileprivate var name: Text {
    switch self {
    case .idea: Text("idea", "候補")
    case .offered: Text("given", "贈った")
    case .received: Text("received", "もらった")
    }
  }
}

extension Text {
  fileprivate static let startTimer = Text("Start the timer", "通話を始める")
  fileprivate static let justCalled = Text("Just called", "電話した")
  fileprivate static let kindOfWay = Text("Kind", "種類")
  fileprivate static let numberOrAddress = Text("Number or address", "番号・アドレス")
}
