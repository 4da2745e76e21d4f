internal import CivilTime
internal import KithMessages
internal import SwiftProtobuf

/// The times that `--at` names, and which of those of before they are: one that goes on keeps its amount and its days.
///
/// The time of the same clock goes on. The others do so in their order if they are as many as before, as the hub takes them for moved. If they
/// are more or fewer, nothing says which of them is which, and they are new ones.
struct CarriedTimes {
  private(set) var times: [PlanTime]
  /// Those that go on at another clock with what they say by themselves, and those of before.
  private(set) var moved: [(time: PlanTime, before: PlanTime)] = []
  /// Those of before that said something by themselves, which is gone.
  private(set) var gone: [PlanTime]

  /// - Parameters:
  ///   - clocks: As typed, `HH:MM`.
  ///   - before: The times of the item as it is.
  ///   - days: Days of the week for all of them; nil = those of before.
  init(_ clocks: [String], before: [PlanTime], days: [String]?) {
    self.times = clocks.map { clock in PlanTime.with { $0.time = clock } }
    self.gone = before
    var open: [Int] = []
    for index in self.times.indices {
      if let place = self.gone.firstIndex(where: { $0.clock == self.times[index].clock }) {
        self.carry(self.gone.remove(at: place), to: index, days)
      } else {
        open.append(index)
      }
    }
    if open.count == self.gone.count {
      open.sort { self.times[$0].clock < self.times[$1].clock }
      for (index, time) in zip(open, self.gone.sorted(by: { $0.clock < $1.clock })) {
        self.carry(time, to: index, days)
        if time.saysMore { self.moved.append((self.times[index], time)) }
      }
      self.gone = []
    }
    for index in open where days != nil { self.times[index].weekdays = days ?? [] }
    self.gone.removeAll { !$0.saysMore }
  }

  private mutating func carry(_ before: PlanTime, to index: Int, _ days: [String]?) {
    self.times[index].amount = before.amount
    self.times[index].weekdays = days ?? before.weekdays
  }

  /// What a person has to know of it.
  func lines(_ say: Language, unit: String) -> [String] {
    self.moved.map { time, before in
      say(
        "\(time.time) goes on as \(before.time) did: \(time.words(say, unit))",
        "\(time.time)は\(before.time)の内容を引き継ぎます: \(time.words(say, unit))")
    }
      + self.gone.map { time in
        say(
          "\(time.time) is gone, and with it: \(time.words(say, unit))",
          "\(time.time)はなくなり、その内容もなくなります: \(time.words(say, unit))")
      }
  }
}

extension PlanTime {
  /// Minutes from midnight; what is no time of day comes last.
  fileprivate var clock: Int { TimeOfDay(self.time).map { $0.hour * 60 + $0.minute } ?? .max }

  /// Whether it says something that its item does not.
  fileprivate var saysMore: Bool { !self.amount.isEmpty || !self.weekdays.isEmpty }

  /// `2 tablets, mon tue`
  fileprivate func words(_ say: Language, _ unit: String) -> String {
    let days = self.weekdays.map { Weekday(rawValue: $0)?.words(say) ?? $0 }
    return [DoseText.amount(self.amount, unit), days.joined(separator: " ")].filter { !$0.isEmpty }
      .joined(separator: ", ")
  }
}
