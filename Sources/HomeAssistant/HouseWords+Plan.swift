internal import Bus
internal import CivilTime
internal import KithMessages
internal import SwiftProtobuf

extension HouseWords {
  /// Asks whether something is to be recorded; first what a person should know of it.
  ///
  /// - Parameter isNews: Whether nothing is stored of the sentence yet.
  func question(_ suggestions: [PlanSuggestion], isNews: Bool) -> String {
    let warnings = suggestions.flatMap { one in one.warnings.map { self.warning($0, one) } }
    let unusual = suggestions.filter { $0.hasMeasurement && $0.measurement.unlikely }.map {
      self.say("\($0.measurement.shownValue) is unusual.", "\($0.measurement.shownValue)は通常の範囲の外です。")
    }
    let doses = suggestions.filter(\.hasItem)
    let values = suggestions.filter(\.hasMeasurement)
    let told = warnings + unusual
    let anyway = told.isEmpty ? "" : self.say(" anyway", "それでも")
    let what = self.joined(doses.map(self.planned) + values.map { self.value($0.measurement) })
    let when = self.past(suggestions)
    let ask =
      values.isEmpty
      ? self.say("Tick \(what)\(when)\(anyway)?", "\(anyway)\(what)を\(when)実施済みにしますか。")
      : self.say("Record \(what)\(when)\(anyway)?", "\(anyway)\(what)を\(when)記録しますか。")
    return
      ((isNews ? [self.say("Nothing is recorded yet.", "まだ記録していません。")] : []) + told + [
        ask, self.say("Say yes or no.", "「はい」か「いいえ」で答えてください。"),
      ])
      .joined(separator: self.say(" ", ""))
  }

  func recorded(_ doses: [Dose], _ values: [MeasurementRecord]) -> String {
    self.say("Recorded: \(self.list(doses, values)).", "\(self.list(doses, values))を記録しました。")
  }

  var entryStays: String {
    self.say("All right. Nothing is ticked; the entry stays.", "わかりました。予定は実施済みにせず、記録は残します。")
  }

  /// One sentence after another.
  func both(_ first: String, _ second: String) -> String { self.say("\(first) \(second)", "\(first)\(second)") }

  var notRecorded: String { self.say("All right. Nothing was recorded.", "わかりました。記録していません。") }

  /// `aspirin of 08:00, today at 08:10 and blood pressure 130/80 mmHg, today at 08:10`.
  func list(_ doses: [Dose], _ values: [MeasurementRecord]) -> String {
    let given = doses.map { dose in
      let due = dose.hasDue ? self.clock(dose.due) : nil
      let name = due.map { self.say("\(dose.itemName) of \($0)", "\($0)の\(dose.itemName)") } ?? dose.itemName
      return self.say("\(name), \(self.moment(dose.occurredAt))", "\(name)（\(self.moment(dose.occurredAt))）")
    }
    let measured = values.map {
      self.say("\(self.value($0)), \(self.moment($0.occurredAt))", "\(self.value($0))（\(self.moment($0.occurredAt))）")
    }
    return self.joined(given + measured)
  }

  // MARK: - Parts

  private func planned(_ said: PlanSuggestion) -> String {
    let due = said.hasDue ? self.clock(said.due) : nil
    let name = due.map { self.say("\(said.item.name) of \($0)", "\($0)の\(said.item.name)") } ?? said.item.name
    guard !said.amount.isEmpty else { return name }
    return self.say("\(name), \(said.amount) \(said.item.unit)", "\(name)、\(said.amount)\(said.item.unit)").trimmedEnd
  }

  /// When it was given, if that is not now.
  private func past(_ suggestions: [PlanSuggestion]) -> String {
    guard let first = suggestions.first?.occurredAt,
      WallClock.nanoseconds() - first.nanosecondsSince1970 > 120_000_000_000
    else { return "" }
    return self.say(", \(self.moment(first)),", "\(self.moment(first))に")
  }

  private func value(_ value: MeasurementRecord) -> String {
    let kind = value.knownKind.map { self.say($0.english, $0.japanese) } ?? value.kind
    return self.say("\(kind) \(value.shownValue)", "\(kind)\(value.shownValue)")
  }

  private func warning(_ warning: PlanWarning, _ said: PlanSuggestion) -> String {
    let name = said.item.name
    let by = warning.by.isEmpty ? "" : self.say(" by \(warning.by)", "、\(warning.by)")
    switch warning.knownKind {
    case .given:
      return self.say(
        "\(name) was recorded already, \(self.moment(warning.at))\(by).",
        "\(name)は\(self.moment(warning.at))\(by)に記録済みです。")
    case .early:
      return self.say(
        "It is too early for \(name): not before \(self.moment(warning.earliest)).",
        "\(name)にはまだ早すぎます。次は\(self.moment(warning.earliest))以降です。")
    case .most:
      return self.say(
        "\(name) was given \(warning.count) times that day, and the plan says \(warning.most) at most.",
        "\(name)はその日すでに\(warning.count)回です。予定では\(warning.most)回までです。")
    case .inactive, nil: return self.say("\(name) is not in the plan now.", "\(name)は今の予定にありません。")
    }
  }

  private func clock(_ stamp: Google_Protobuf_Timestamp) -> String {
    self.zone.time(at: stamp.seconds * 1_000_000_000).description
  }

  private func joined(_ parts: [String]) -> String {
    guard self.say == .english, let last = parts.last, parts.count > 1 else { return parts.joined(separator: "と") }
    return "\(parts.dropLast().joined(separator: ", ")) and \(last)"
  }
}

extension String {
  /// Without a blank at its end, where there is no unit.
  fileprivate var trimmedEnd: String { self.hasSuffix(" ") ? String(self.dropLast()) : self }
}
