internal import Bus
internal import CivilTime
internal import Glibc
internal import KithMessages

/// The questions, each with what is set as its default.
struct SetupQuestions {
  let session: Session
  let household: Household
  /// False: Enter for every question, without a terminal.
  let isAsking: Bool

  private var say: Language { self.session.language }
  private var none: String { self.say("none", "なし") }

  /// Asks every question.
  ///
  /// - Throws: `CANCELLED/CANCELLED_BY_USER` for Ctrl-D, `FAILED_PRECONDITION/PASSWORD_MISSING` or the like.
  func ask() throws(Failure) -> SetupAnswers {
    var answers = SetupAnswers()
    answers.language = try self.language()
    let recipient = self.household.care.recipient
    answers.recipient = try self.changed(
      self.say("Who is cared for?", "介護を受けるのはどなたですか?"), recipient.isEmpty ? nil : recipient)
    answers.source = try self.source()
    answers.monica = try self.monica()
    answers.channel = try self.channel()
    answers.reminder = try self.reminder(caresForSomeone: !(answers.recipient ?? recipient).isEmpty)
    answers.backup = try self.changed(
      self.say("A file for a backup now?", "今バックアップを作るファイル名は?"), nil
    ).map(RuntimeLocations.absolute)
    return answers
  }

  /// Asks whether the answers are carried out.
  ///
  /// - Throws: `CANCELLED/CANCELLED_BY_USER` for no.
  func confirm() throws(Failure) {
    let answer = try self.line(self.say("Carry this out? [Y/n] ", "この内容で設定しますか? [Y/n] ")).lowercased()
    guard ["", "y", "yes", "はい"].contains(answer) else { throw .unchanged(self.say) }
  }

  // MARK: - Each question

  private func language() throws(Failure) -> String? {
    let present = self.household.care.language
    let shown = present.isEmpty ? self.say.rawValue : present
    while true {
      let answer = try self.answer(
        self.say("Language of messages and summaries, ja or en?", "お知らせとまとめの言語は? ja / en"), shown)
      let chosen = answer ?? shown
      guard ["ja", "en"].contains(chosen) else {
        self.session.console.tell(self.say("Please type ja or en.", "ja か en を入力してください。"))
        continue
      }
      return chosen == present ? nil : chosen
    }
  }

  private func source() throws(Failure) -> AddSourceRequest? {
    let names = self.household.sources.map(\.name)
    let question = self.say(
      "An address book (folder, .vcf or CardDAV)?", "連絡先の取り込み元 (フォルダー、.vcf、CardDAV) は?")
    if !names.isEmpty {
      self.session.console.tell(
        self.say("Address books: ", "今の取り込み元: ") + names.map(Printable.text).joined(separator: ", "))
    }
    while true {
      guard let answer = try self.answer(question, nil) else { return nil }
      var request = AddSourceRequest()
      request.name = Self.free("home", besides: names)
      if answer.contains("://") || answer.contains("@") {
        request.carddav.url = answer
        request.carddav.username = try self.answer(self.say("User name?", "ユーザー名は?"), nil) ?? ""
        if !request.carddav.username.isEmpty {
          request.carddav.password = try self.session.console.askSecret(self.say("Password: ", "パスワード: "), self.say)
        }
        return request
      }
      let path = Self.path(answer)
      var entry = stat()
      guard stat(path, &entry) == 0 else {
        self.session.console.tell(
          self.say("\(Printable.text(path)) does not exist.", "\(Printable.text(path)) はありません。"))
        continue
      }
      if entry.st_mode & S_IFMT == S_IFDIR { request.vdir.path = path } else { request.vcf.path = path }
      if let twin = self.household.sources.first(where: { $0.isTwin(of: request) }) {
        let name = Printable.text(twin.name)
        self.session.console.tell(self.say("\(name) reads it already.", "それは \(name) が読んでいます。"))
        continue
      }
      return request
    }
  }

  private func monica() throws(Failure) -> LoginRequest? {
    let present = self.household.monica.endpoint
    guard
      let answer = try self.answer(
        self.say("A Monica server: its address, or cloud?", "Monica を使うならそのアドレス、または cloud"),
        present.isEmpty ? nil : present), answer != present
    else { return nil }
    var request = LoginRequest()
    if answer == "cloud" { request.cloud = true } else { request.endpoint = answer }
    request.token = try self.session.console.askSecret(
      self.say("API token of Monica: ", "Monica の API トークン: "), kind: "token", self.say)
    return request
  }

  private func channel() throws(Failure) -> AddChannelRequest? {
    let names = self.household.channels.map(\.name)
    let shown = names.map(Printable.text).joined(separator: ", ")
    if !names.isEmpty { self.session.console.tell(self.say("Channels: \(shown)", "今の送り先: \(shown)")) }
    guard
      let topic = try self.answer(
        self.say(
          "A topic of ntfy for reminders on your phone?",
          "スマートフォンに知らせる ntfy のトピックは?"), nil)
    else { return nil }
    var request = AddChannelRequest()
    request.channel.name = Self.free("phone", besides: names)
    request.channel.ntfy.topic = topic
    return request
  }

  private func reminder(caresForSomeone: Bool) throws(Failure) -> String? {
    let daily = self.household.daily
    let present = daily.enabled ? daily.time : ""
    let shown = !present.isEmpty ? present : caresForSomeone && daily.time.isEmpty ? "20:00" : nil
    while true {
      let answer =
        try self.answer(
          self.say("An evening reminder at (HH:MM, or off)?", "毎晩のお知らせの時刻は? (HH:MM、なければ off)"), shown) ?? shown ?? ""
      if answer.isEmpty || answer == present { return nil }
      if answer == "off" { return present.isEmpty ? nil : "off" }
      let time = DayWords.time(answer)
      if TimeOfDay(time) != nil { return time == present ? nil : time }
      self.session.console.tell(self.say("Please type a time such as 20:00, or off.", "20:00 のような時刻か off を入力してください。"))
    }
  }

  // MARK: - One answer

  /// The answer, if it differs from what is set.
  private func changed(_ question: String, _ present: String?) throws(Failure) -> String? {
    let answer = try self.answer(question, present)
    return answer == present ? nil : answer
  }

  /// Nil for Enter.
  private func answer(_ question: String, _ present: String?) throws(Failure) -> String? {
    let text = try self.line("\(question) [\(present.map(Printable.text) ?? self.none)] ")
    return text.isEmpty ? nil : text
  }

  private func line(_ prompt: String) throws(Failure) -> String {
    guard self.isAsking else { return "" }
    guard let line = self.session.console.ask(prompt) else { throw .unchanged(self.say) }
    return String(line.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }

  /// `home`, or `home-2` if that is taken.
  private static func free(_ name: String, besides taken: [String]) -> String {
    guard taken.contains(name) else { return name }
    var number = 2
    while taken.contains("\(name)-\(number)") { number += 1 }
    return "\(name)-\(number)"
  }

  /// The whole path; a shell would replace the tilde.
  private static func path(_ text: String) -> String {
    guard text.hasPrefix("~/"), let home = RuntimeLocations.variable("HOME") else {
      return RuntimeLocations.absolute(text)
    }
    return home + text.dropFirst()
  }
}
