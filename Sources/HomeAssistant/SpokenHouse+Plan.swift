internal import Bus
internal import KithClient
internal import KithMessages
internal import Logging
internal import Spoken
internal import SwiftProtobuf
internal import Wyoming

/// The one question that the house asks and remembers: whether what was said is something of the care plan. Nothing is ticked unasked.
extension SpokenHouse {
  /// How long an answer is waited for; also for one that is repeated because the hub did not confirm it.
  private static let attention = Duration.seconds(60)

  /// Sooner after a question nobody answers it.
  private static let breath = Duration.seconds(2)

  /// What was asked.
  struct Question: Sendable {
    let suggestions: [PlanSuggestion]
    /// What the sentence has stored in the log of care already; nil if it records nothing there.
    let entry: CareRecord?
    /// The same for each repetition of the answer.
    var key = "wyoming-\(UUIDv7.make().text)"
    var at = ContinuousClock.now
  }

  /// Asks whether a sentence is about the plan, or tells a value; nil if it is not, and for a household without a plan.
  ///
  /// What is an entry without a plan is stored first: who walks away without an answer has lost nothing.
  func ask(
    about text: String, _ intention: Intention, _ client: KithClient, _ words: HouseWords
  ) async -> WyomingAnswer? {
    guard intention.mayTellOfThePlan else { return nil }
    let request = SuggestRequest.with {
      $0.text = text
      $0.language = words.say.rawValue
      $0.called = self.called
    }
    do throws(Failure) {
      let suggestions = try await client.ask(request, CallContext(timeout: Self.patience)).suggestions
      guard !suggestions.isEmpty else { return nil }
      guard case .record = intention else { return self.ask(Question(suggestions: suggestions, entry: nil), words) }
      let plain = await self.once(text, intention, client, words)
      guard plain.isHandled, case .entry(let entry)? = self.lastRecord?.record else { return plain }
      let asked = self.ask(Question(suggestions: suggestions, entry: entry), words)
      // "That was wrong" is about the entry.
      self.hasReadOut = true
      return WyomingAnswer(text: words.both(plain.text, asked.text), isHandled: true)
    } catch {
      // Then, as with a hub of before there were plans, the sentence is what it would be without one.
      self.logger.debug("the plan was not asked", metadata: ["why": "\(error.message)"])
      return nil
    }
  }

  private func ask(_ question: Question, _ words: HouseWords) -> WyomingAnswer {
    (self.question, self.hasReadOut) = (question, false)
    return WyomingAnswer(text: words.question(question.suggestions, isNews: question.entry == nil), isHandled: false)
  }

  /// What carries out an answer; nil if nothing was asked. Two devices may hear one answer.
  func task(of answer: SpokenAnswer, _ client: KithClient, _ words: HouseWords) -> Task<WyomingAnswer, Never>? {
    if let last = self.answered, last.answer == answer, .now - last.at < Self.together {
      // One "yes" that two devices heard is no answer to the question that it led to.
      guard let question = self.question, .now - question.at >= Self.breath else { return last.task }
    }
    guard let question = self.question, .now - question.at < Self.attention else { return nil }
    self.question = nil
    let task = Task { await self.take(answer, question, client, words) }
    self.answered = (answer, task, .now)
    return task
  }

  private func take(
    _ answer: SpokenAnswer, _ question: Question, _ client: KithClient, _ words: HouseWords
  ) async -> WyomingAnswer {
    guard answer == .yes else {
      return WyomingAnswer(text: question.entry == nil ? words.notRecorded : words.entryStays, isHandled: true)
    }
    self.lastRecord = nil
    do throws(Failure) {
      var (doses, values, open): ([Dose], [MeasurementRecord], [PlanSuggestion]) = ([], [], [])
      for (number, suggestion) in question.suggestions.enumerated() {
        let context = CallContext(idempotencyKey: "\(question.key)-\(number)", timeout: Self.patience)
        if suggestion.hasItem {
          let reply = try await client.give(suggestion, context)
          if reply.hasDose { doses.append(reply.dose) } else { open.append(suggestion.asked(reply)) }
        } else {
          let reply = try await client.record(suggestion, context)
          if reply.recorded { values.append(reply.measurement) } else { open.append(suggestion.asked(reply)) }
        }
      }
      let isAny = !doses.isEmpty || !values.isEmpty
      if isAny {
        (self.lastRecord, self.hasReadOut) = ((.planned(doses, values, question.entry), .now), true)
      } else if let entry = question.entry {
        self.lastRecord = (.entry(entry), .now)
      }
      let told = isAny ? words.recorded(doses, values) : ""
      guard !open.isEmpty else { return WyomingAnswer(text: told, isHandled: true) }
      let asked = self.ask(Question(suggestions: open, entry: question.entry), words)
      return WyomingAnswer(text: told.isEmpty ? asked.text : words.both(told, asked.text), isHandled: false)
    } catch {
      self.logger.warning("an answer was not carried out", metadata: ["why": "\(error.message)"])
      // "Yes" may be said again: it has the same keys, so that nothing is recorded twice.
      var again = question
      again.at = .now
      (self.question, self.answered) = (again, nil)
      return error.code == .unavailable ? words.unconfirmed : words.failed(error)
    }
  }
}

extension KithClient {
  /// Records what a person said yes to. If the hub warns of something that they were not told, nothing is recorded.
  fileprivate func give(_ said: PlanSuggestion, _ context: CallContext) async throws(Failure) -> DoseReply {
    var request = GiveRequest(said)
    request.unlessWarned = true
    let reply = try await self.call(request, context).reply
    guard !reply.hasDose, Set(reply.warnings.map(\.kind)).isSubset(of: said.warnings.map(\.kind)) else { return reply }
    request.unlessWarned = false
    request.confirm(said.warnings)
    return try await self.call(request, context.with(part: "told")).reply
  }

  /// Records a value that a person said yes to; one that is unusual, if they were told.
  fileprivate func record(_ said: PlanSuggestion, _ context: CallContext) async throws(Failure) -> MeasurementReply {
    var request = RecordMeasurementRequest(said)
    request.unlessUnlikely = !said.measurement.unlikely
    return try await self.call(request, context).reply
  }
}

extension CallContext {
  /// The context of one of several commands of one key.
  func with(part: String) -> CallContext {
    CallContext(idempotencyKey: "\(self.idempotencyKey)-\(part.suffix(16))", timeout: self.timeout)
  }
}

extension PlanSuggestion {
  /// With what the hub has said of it since.
  fileprivate func asked(_ reply: DoseReply) -> PlanSuggestion {
    var asked = self
    asked.warnings = reply.warnings
    return asked
  }

  fileprivate func asked(_ reply: MeasurementReply) -> PlanSuggestion {
    var asked = self
    asked.measurement.unlikely = reply.measurement.unlikely
    return asked
  }
}

extension Intention {
  /// Whether the sentence records care, or may be one that only the plan understands.
  fileprivate var mayTellOfThePlan: Bool {
    switch self {
    case .record(let category, _, _): category != .freeMemo
    case .unclear(let doubt):
      switch doubt {
      case .half, .unknown, .whichTime, .whichHalf, .several, .question: true
      default: false
      }
    default: false
    }
  }
}
