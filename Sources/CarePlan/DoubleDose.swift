public import Bus
internal import CivilTime
public import KithMessages
public import Storage

/// Doses of one item, one of which was recorded by somebody who did not know of the others.
public struct DoubleDose: Sendable, Hashable {
  /// What a person has to know of it.
  public enum Kind: Sendable {
    /// Its time had an answer.
    case again
    /// Somebody else had given it less than the least minutes before.
    case tooSoon
    /// Somebody else had given it, and the day had its most.
    case tooOften
  }

  /// The one that was recorded without knowing of the others.
  public let dose: Dose
  /// All of them, in the order in which they were recorded.
  public let all: [Dose]
  /// What is wrong with it.
  public let kind: Kind

  /// Looks at a dose; nil if nobody has to be told of it.
  ///
  /// - Parameters:
  ///   - doses: What was recorded of its item around it, and not taken back.
  ///   - zone: That of its item.
  init?(_ dose: Dose, among doses: [Dose], in zone: Zone) {
    guard !dose.hasDeletedAt, !dose.confirmed, dose.knownOutcome != .skipped else { return nil }
    let given = doses.filter { $0.knownOutcome != .skipped }
    let others = given.filter { $0.recorder != dose.recorder }
    self.dose = dose
    let same = given.filter { !$0.timeKey.isEmpty && $0.timeKey == dose.timeKey }
    if same.contains(where: { $0.comesBefore(dose) }) {
      (self.kind, self.all) = (.again, same.inOrder())
      return
    }
    let at = dose.occurredAt.nanosecondsSince1970
    let near = others.filter {
      $0.comesBefore(dose) && ($0.occurredAt.nanosecondsSince1970 - at).magnitude < dose.least.magnitude
    }
    if !near.isEmpty {
      (self.kind, self.all) = (.tooSoon, near.inOrder() + [dose])
      return
    }
    guard let most = dose.warnings.first(where: { $0.knownKind == .most })?.most else { return nil }
    let ofDay = given.filter { zone.day(at: $0.occurredAt.nanosecondsSince1970) == zone.day(at: at) }
    // Those within the most were recorded before this one, whatever the clock said. If they are more than that, the most is higher by now.
    let within = ofDay.filter { !$0.isBeyondMost }
    let before = ofDay.filter { $0.comesBefore(dose) } + (within.count <= Int(most) ? within : [])
    guard ofDay.count > Int(most), before.contains(where: others.contains) else { return nil }
    (self.kind, self.all) = (.tooOften, ofDay.inOrder())
  }
}

extension DatabaseView {
  /// What was given in a span too soon or too often, by people who did not know of each other.
  ///
  /// - Parameter span: Nanoseconds since 1970.
  public func nearDoubles(in span: Range<Int64>) throws(Failure) -> [DoubleDose] {
    let warned = try self.doses.given(in: span).filter { !$0.confirmed && !$0.warnings.isEmpty }
    let doubles = try warned.map { dose throws(Failure) in try self.double(dose) }
    return doubles.compactMap(\.self).filter { $0.kind != .again }
  }

  /// What a dose doubles; nil if it is unknown, or it or all that it doubled was taken back.
  public func double(of id: String) throws(Failure) -> DoubleDose? {
    try self.doses.get(id).flatMap { dose throws(Failure) in try self.double(dose) }
  }

  private func double(_ dose: Dose) throws(Failure) -> DoubleDose? {
    guard let item = try self.plan.get(dose.itemID)?.item else { return nil }
    let day: Int64 = 86_400_000_000_000
    let moments = [dose.occurredAt.nanosecondsSince1970] + (dose.hasDue ? [dose.due.nanosecondsSince1970] : [])
    let (first, last) = (moments.min() ?? 0, moments.max() ?? 0)
    let reach = max(3 * day, dose.least + day)
    return DoubleDose(
      dose, among: try self.doses.of(item.id, in: first - reach..<last + reach), in: item.zone)
  }
}

extension Dose {
  /// The least time from another one of which it was warned, in nanoseconds; 0 = it was not too soon after another one.
  fileprivate var least: Int64 {
    guard let early = self.warnings.first(where: { $0.knownKind == .early && !$0.doseID.isEmpty }) else { return 0 }
    return max(0, early.earliest.nanosecondsSince1970 - early.at.nanosecondsSince1970)
  }

  fileprivate var isBeyondMost: Bool { self.warnings.contains { $0.knownKind == .most } }

  /// Whether it was recorded before another one: what that one was warned of was, whatever the clock said.
  fileprivate func comesBefore(_ other: Dose) -> Bool {
    if self.isNamed(by: other) != other.isNamed(by: self) { return self.isNamed(by: other) }
    return (self.createdAt.nanosecondsSince1970, self.id) < (other.createdAt.nanosecondsSince1970, other.id)
  }

  fileprivate func isNamed(by other: Dose) -> Bool { other.warnings.contains { $0.doseID == self.id } }
}

extension [Dose] {
  /// In the order in which they were recorded: by the clock, but one that was warned of another of them comes after that one.
  func inOrder() -> [Dose] {
    let byClock = self.sorted {
      ($0.createdAt.nanosecondsSince1970, $0.id) < ($1.createdAt.nanosecondsSince1970, $1.id)
    }
    var (ordered, ids): ([Dose], Set<String>) = ([], [])
    func append(_ dose: Dose) {
      guard ids.insert(dose.id).inserted else { return }
      for other in byClock where other.isNamed(by: dose) { append(other) }
      ordered.append(dose)
    }
    for dose in byClock { append(dose) }
    return ordered
  }
}
