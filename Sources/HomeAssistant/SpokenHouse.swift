internal import Bus
internal import CivilTime
internal import EventLoop
internal import FoundationEssentials
internal import KithClient
internal import KithMessages
internal import Logging
internal import Spoken
internal import SwiftProtobuf
internal import Wyoming

/// Answers sentences that were said to the house: asks the hub, stores with it what is sure, and says what it stored.
///
/// What is not sure is asked back and stored nowhere. What the hub has not confirmed is never called recorded.
actor SpokenHouse {
  /// How long somebody who spoke waits for the hub.
  static let patience = Duration.seconds(4)
  /// Within this time the same sentence is the same one: two devices may hear it.
  static let together = Duration.seconds(10)
  /// How long a sentence that the hub did not confirm keeps its key, so that it is stored once if it is said again.
  private static let unconfirmed = Duration.seconds(120)

  /// A sentence that changes something, and its command.
  private struct Spoken {
    let at: ContinuousClock.Instant
    let key: String
    let intention: Intention
    /// nil after a failure, when it may be said again.
    var task: Task<WyomingAnswer, Never>?
  }

  let called: [String]
  let logger: Logger
  private var client: KithClient?
  /// As the hub told last.
  private var household = CareLanguage.english
  private var recent: [String: Spoken] = [:]
  /// What "undo" takes back; nil if something else was done since, or if an entry may be stored that the hub did not confirm.
  var lastRecord: (record: Kept, at: ContinuousClock.Instant)?
  /// Whether the last answer read an entry out, so that "that was wrong" is about it.
  var hasReadOut = false
  /// What was asked last, until something else is said.
  var question: Question?
  /// The answer that was given last, which two devices may hear.
  var answered: (answer: SpokenAnswer, task: Task<WyomingAnswer, Never>, at: ContinuousClock.Instant)?

  /// What was stored from here.
  enum Kept: Sendable {
    case entry(CareRecord)
    /// Of the care plan, and of what was measured; with the entry of the sentence, if it is one.
    case planned([Dose], [MeasurementRecord], CareRecord?)
  }

  /// - Parameter called: How the family calls the person cared for, such as "mum"; empty = any word for an elder counts.
  init(called: [String], logger: Logger) {
    self.called = called
    self.logger = logger
  }

  /// Takes the connection to the hub; without one it says that the hub does not answer.
  func use(_ client: KithClient?) { self.client = client }

  /// The answer to a sentence, in its language.
  func answer(_ sentence: WyomingSentence) async -> WyomingAnswer {
    let settings = await self.settings()
    self.household = settings.flatMap { CareLanguage(named: $0.language) } ?? self.household
    guard let language = self.language(of: sentence) else {
      return WyomingAnswer(text: "I understand English and Japanese. 英語と日本語がわかります。", isHandled: false)
    }
    guard let client, let settings else { return HouseWords(language).away }
    let zone = Zone(named: settings.timeZone) ?? Zone.system()
    let now = WallClock.nanoseconds() / 1_000_000_000
    let words = HouseWords(language, zone: zone, today: zone.day(at: now * 1_000_000_000))
    if let answer = SpokenAnswer(sentence.text, language), let task = self.task(of: answer, client, words) {
      return await task.value
    }
    (self.question, self.answered) = (nil, nil)
    let listener = Listener(now: now, zone: zone, recipient: settings.recipient, called: self.called)
    let intention = listener.understand(sentence.text, language)
    if let question = await self.ask(about: sentence.text, intention, client, words) { return question }
    switch intention {
    case .unclear(let doubt):
      self.hasReadOut = false
      return WyomingAnswer(text: words.back(doubt), isHandled: false)
    case .askLast, .askDay: return await self.carryOut(intention, key: "", client, words)
    default: return await self.once(sentence.text, intention, client, words)
    }
  }

  /// The settings of care; nil if the hub does not answer.
  private func settings() async -> CareSettings? {
    do throws(Failure) {
      return try await self.client?.ask(CareSettingsRequest(), CallContext(timeout: Self.patience))
    } catch {
      self.logger.warning("a sentence was not answered", metadata: ["why": "\(error.message)"])
      return nil
    }
  }

  /// The language of a sentence: Japanese if it is written so, else the one that is told, else that of its letters or of the household;
  /// nil for another one.
  private func language(of sentence: WyomingSentence) -> CareLanguage? {
    let isJapanese = sentence.text.unicodeScalars.contains {
      (0x3040...0x30FF).contains($0.value) || (0x4E00...0x9FFF).contains($0.value)
    }
    if isJapanese { return .japanese }
    if let told = sentence.language, !told.isEmpty { return CareLanguage(named: told) }
    return sentence.text.contains(where: \.isLetter) ? .english : self.household
  }

  /// Carries out what changes something, once for a sentence that is heard twice.
  func once(
    _ text: String, _ intention: Intention, _ client: KithClient, _ words: HouseWords
  ) async -> WyomingAnswer {
    let said = Self.key(text)
    self.recent = self.recent.filter { .now - $0.value.at < Self.unconfirmed }
    if let task = self.recent[said]?.task, let at = self.recent[said]?.at, .now - at < Self.together {
      return await task.value
    }
    // A sentence that failed goes out with its own key again; one that was carried out is a new one.
    let failed = self.recent[said].flatMap { $0.task == nil ? $0 : nil }
    var spoken = Spoken(
      at: .now, key: failed?.key ?? "wyoming-\(UUIDv7.make().text)", intention: failed?.intention ?? intention)
    let task = Task { await self.carryOut(spoken.intention, key: spoken.key, client, words) }
    spoken.task = task
    self.recent[said] = spoken
    let answer = await task.value
    if answer.isHandled {
      self.forget(before: said, spoken.intention)
    } else {
      spoken.task = nil
      self.recent[said] = spoken
    }
    return answer
  }

  /// What is said, without marks and letter case. "1.5" is not "15".
  private static func key(_ text: String) -> String {
    text.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "." }
      .map { word in word.last == "." ? String(word.dropLast()) : String(word) }.joined(separator: " ")
  }

  /// Forgets what was carried out before: "log meal", "undo", "log meal" are two entries. Two entries do not undo each other, so that
  /// a second device may still be late with the first. Behind anything else, "undo" is not about the last entry.
  private func forget(before said: String, _ intention: Intention) {
    let isRecord = { (intention: Intention) in if case .record = intention { true } else { false } }
    if !isRecord(intention) { self.lastRecord = nil }
    self.recent = self.recent.filter { key, spoken in
      key == said || spoken.task == nil || isRecord(intention) && isRecord(spoken.intention)
    }
  }

  private func carryOut(
    _ intention: Intention, key: String, _ client: KithClient, _ words: HouseWords
  ) async -> WyomingAnswer {
    let context = CallContext(idempotencyKey: key, timeout: Self.patience)
    let isStraight = self.hasReadOut
    self.hasReadOut = false
    do throws(Failure) {
      switch intention {
      case .record(let category, let memo, let at):
        self.lastRecord = nil
        let request = RecordCareRequest.with {
          $0.category = category.rawValue
          $0.memo = memo
          if let at { $0.occurredAt = Google_Protobuf_Timestamp(seconds: at, nanos: 0) }
        }
        let record = try await client.call(request, context).reply.record
        (self.lastRecord, self.hasReadOut) = ((.entry(record), .now), true)
        return WyomingAnswer(text: words.recorded(record), isHandled: true)
      case .undo: return try await self.undo(client, context, words)
      case .undoAnswer:
        guard isStraight else { return WyomingAnswer(text: words.nothingToUndo, isHandled: false) }
        return try await self.undo(client, context, words)
      case .askLast(let category):
        let request = ListCareRequest.with {
          $0.knownCategory = category
          $0.limit = 1
        }
        return WyomingAnswer(
          text: words.last(try await client.ask(request, context).records.first, category), isHandled: true)
      case .askDay(let day, let category):
        let request = ListCareRequest.with {
          $0.day = day.description
          if let category { $0.knownCategory = category }
        }
        let records = try await client.ask(request, context).records
        return WyomingAnswer(text: words.list(records, day, category), isHandled: true)
      case .remindToCall(let name, let day, let time):
        return try await self.remind(name, day, time, client, context, words)
      case .remindDaily(let time):
        let daily = try await client.setDaily(true, time: time.description, context)
        return WyomingAnswer(text: words.daily(daily), isHandled: true)
      case .switchDaily(let isOn):
        let daily = try await client.setDaily(isOn, context)
        return WyomingAnswer(text: words.daily(daily), isHandled: true)
      case .unclear(let doubt): return WyomingAnswer(text: words.back(doubt), isHandled: false)
      }
    } catch {
      self.logger.warning("a sentence was not carried out", metadata: ["why": "\(error.message)"])
      if case .undoAnswer = intention { self.hasReadOut = isStraight }
      // A hub that ends may have stored it before.
      if case .record = intention, error.code == .unavailable { return words.unconfirmed }
      return words.failed(error)
    }
  }

  private func undo(
    _ client: KithClient, _ context: CallContext, _ words: HouseWords
  ) async throws(Failure) -> WyomingAnswer {
    guard let last = self.lastRecord, .now - last.at < House.regret else {
      return WyomingAnswer(text: words.nothingToUndo, isHandled: false)
    }
    switch last.record {
    case .entry(let record): _ = try await client.call(DeleteCareRequest.with { $0.id = record.id }, context)
    case .planned(let doses, let values, let entry):
      // Each is a command of its own, and taking back what was taken back changes nothing.
      for dose in doses {
        _ = try await client.call(UndoDoseRequest.with { $0.id = dose.id }, context.with(part: dose.id))
      }
      for value in values {
        _ = try await client.call(DeleteMeasurementRequest.with { $0.id = value.id }, context.with(part: value.id))
      }
      if let entry {
        _ = try await client.call(DeleteCareRequest.with { $0.id = entry.id }, context.with(part: entry.id))
      }
    }
    self.lastRecord = nil
    return WyomingAnswer(text: words.undone(last.record), isHandled: true)
  }

  private func remind(
    _ name: String, _ day: Day, _ time: TimeOfDay?, _ client: KithClient, _ context: CallContext, _ words: HouseWords
  ) async throws(Failure) -> WyomingAnswer {
    let request = WhoRequest.with { $0.text = name }
    let hits = try await client.ask(request, context).likely.peopleFirst.filter { $0.foundBy != "misspelt" }
    let exact = hits.filter { $0.names.contains { $0.foldedName == name.foldedName } }
    let meant = exact.isEmpty ? hits : exact
    guard let person = meant.first, meant.count == 1, person.hasPerson else {
      return WyomingAnswer(text: meant.count > 1 ? words.several(name) : words.nobody(name), isHandled: false)
    }
    let reminder = try await client.call(
      AddCallReminderRequest.with {
        $0.personID = person.person.id
        $0.on = [day.description, time?.description ?? ""].joined(separator: time == nil ? "" : " ")
        $0.timeZone = words.zone.name
      }, context
    ).reply
    return WyomingAnswer(text: words.reminder(reminder, of: person.shownName), isHandled: true)
  }
}

extension KithClient {
  /// Turns the daily reminder on or off.
  ///
  /// - Parameter time: Its time; nil = as it is.
  func setDaily(_ isOn: Bool, time: String? = nil, _ context: CallContext) async throws(Failure) -> DailyReminder {
    let daily = try await self.ask(ReminderStatusRequest(), CallContext(timeout: context.timeout)).daily
    var request = SetDailyReminderRequest()
    request.enabled = isOn
    request.time = time ?? daily.time
    request.timeZone = daily.timeZone
    request.onlyIfNothingRecorded = daily.onlyIfNothingRecorded
    request.catchUpMinutes = daily.catchUpMinutes
    return try await self.call(request, context).reply
  }
}
