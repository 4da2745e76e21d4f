public import KithMessages

/// What became of one item of the plan in some days.
public struct PlanTally: Sendable {
  /// As it was called last.
  public private(set) var name: String
  /// The times that have come, by time.
  public private(set) var dues: [PlanDue] = []
  /// What was recorded without being due, by time.
  public private(set) var others: [Dose] = []

  private init(name: String) { self.name = name }

  /// What became of each item, by name. Items of which no time has come, and nothing was given, are left out.
  ///
  /// - Parameter days: By time.
  public static func all(of days: [PlanDay]) -> [PlanTally] {
    var found: [String: PlanTally] = [:]
    for day in days {
      for due in day.dues where due.knownState != .coming {
        found[due.item.id, default: PlanTally(name: due.item.name)].add(due)
      }
      for dose in day.others { found[dose.itemID, default: PlanTally(name: dose.itemName)].add(dose) }
    }
    return found.sorted { ($0.value.name, $0.key) < ($1.value.name, $1.key) }.map(\.value)
  }

  private mutating func add(_ due: PlanDue) {
    self.name = due.item.name
    self.dues.append(due)
  }

  private mutating func add(_ dose: Dose) {
    if self.dues.isEmpty { self.name = dose.itemName }
    self.others.append(dose)
  }

  /// The times with an outcome.
  public func dues(_ state: DueState) -> [PlanDue] { self.dues.filter { $0.knownState == state } }

  /// How many of those that were given were given too late.
  var late: Int { self.dues(.given).count(where: \.isLate) }

  /// What was given a second time.
  var doubles: [Dose] { self.dues.flatMap(\.doubles) }
}
