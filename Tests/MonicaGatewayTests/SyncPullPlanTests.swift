import Bus
import KithMessages
import Storage
import TestKit
import Testing

@testable import MonicaGateway

/// What a pass reads, against a model of a server's lists and of the known records.
@Suite struct SyncPullPlanTests {
  private static let hour: Int64 = 3_600_000_000_000

  // MARK: - Which pages are read

  @Test func anEmptyAccountIsReadWithOneRequestAList() throws {
    var model = ListModel()
    let steps = try model.pass()
    #expect(steps == [.catalogs] + PullPlan.order.map { .page($0, 1, newestFirst: true) })
  }

  @Test func aFirstPassReadsEverything() throws {
    var model = ListModel(pageSize: 3)
    for kind in PullPlan.order { for _ in 1...10 { model.add(kind) } }
    try model.pass()
    model.expectEqual()
  }

  @Test(arguments: PullPlan.order.filter { $0 != .tag })
  func aPassWithoutChangesReadsOnePageOfEachList(_ kind: RecordKind) throws {
    var model = ListModel(pageSize: 3)
    for _ in 1...30 { model.add(kind) }
    try model.pass()
    model.clock += 60
    #expect(try model.pass(isCommanded: true).filter { $0.kind == kind } == [.page(kind, 1, newestFirst: true)])
  }

  @Test(arguments: Array(PullPlan.stamped))
  func changesAreReadBackToKnownGround(_ kind: RecordKind) throws {
    var model = ListModel(pageSize: 3)
    for _ in 1...30 { model.add(kind) }
    model.clock += 60
    model.edit(kind, model.ids(kind)[29])
    try model.pass()
    model.clock += 60
    for id in model.ids(kind).prefix(4) { model.edit(kind, id) }
    model.add(kind)
    let steps = try model.pass(isCommanded: true).filter { $0.kind == kind }
    // The second page ends within the last second that was read, which may have had another change.
    #expect(steps == (1...3).map { .page(kind, $0, newestFirst: true) })
    model.expectEqual()
  }

  @Test func changesOfOneSecondAreNotMissed() throws {
    var model = ListModel(pageSize: 3)
    for _ in 1...30 { model.add(.person) }
    try model.pass()
    // The server gives the same second to a change after the pass.
    let late = model.ids(.person)[20]
    model.edit(.person, late)
    try model.pass(isCommanded: true)
    model.expectEqual()
  }

  @Test func aServerThatStampsEverythingAnewIsReadFromEndToEnd() throws {
    var model = ListModel(pageSize: 3)
    for _ in 1...60 { model.add(.person) }
    try model.pass()
    model.clock += 60
    for id in model.ids(.person) { model.edit(.person, id) }
    let pages = try model.pass(isCommanded: true).filter { $0.kind == .person }
    #expect(pages.count == Int(PullPlan.newestPages) + 20)
    model.expectEqual()
  }

  @Test func aSmallListIsReadWholeOnCommand() throws {
    var model = ListModel(pageSize: 10)
    for _ in 1...40 { model.add(.call) }
    try model.pass()
    // In a list that cannot be sorted by changes, nothing shows this.
    model.edit(.call, model.ids(.call)[5])
    try model.pass()
    #expect(!model.isEqual)
    try model.pass(isCommanded: true)
    model.expectEqual()
  }

  @Test func everyListIsReadWholeNowAndThen() throws {
    var model = ListModel(pageSize: 3)
    for _ in 1...60 { model.add(.note) }
    try model.pass()
    model.edit(.note, model.ids(.note)[40])
    model.now += 5 * Self.hour
    try model.pass()
    #expect(!model.isEqual)
    model.now += 2 * Self.hour
    try model.pass()
    model.expectEqual()
  }

  @Test func aFullPassReadsEverythingWhole() throws {
    var model = ListModel(pageSize: 3)
    for kind in PullPlan.order { for _ in 1...20 { model.add(kind) } }
    try model.pass()
    for kind in PullPlan.order { model.edit(kind, model.ids(kind)[9]) }
    #expect(try model.pass(isFull: true).contains(.catalogs))
    model.expectEqual()
  }

  // MARK: - Deletions

  @Test(arguments: PullPlan.order)
  func aListThatIsShorterThanKnownIsReadWhole(_ kind: RecordKind) throws {
    var model = ListModel(pageSize: 3)
    for _ in 1...60 { model.add(kind) }
    try model.pass()
    model.now += 25 * Self.hour
    model.remove(kind, model.ids(kind)[33])
    let steps = try model.pass()
    #expect(steps.contains { if case .settle(let missing) = $0 { missing.map(\.kind) == [kind] } else { false } })
    model.expectEqual()
  }

  @Test func archivedPeopleAreAskedForAndStay() throws {
    var model = ListModel(pageSize: 3)
    for _ in 1...30 { model.add(.person) }
    try model.pass()
    let archived = model.ids(.person)[7]
    model.archive(archived)
    #expect(try model.pass().contains(.ask(.person, archived)))
    #expect(model.known[.person]?[archived] != nil)
    #expect(try !model.pass(isCommanded: true).contains(.ask(.person, archived)), "it is known by now")
    #expect(try model.pass().filter { $0.kind == .person } == [.page(.person, 1, newestFirst: true)])
    model.now += 7 * Self.hour
    model.removeArchived(archived)
    #expect(try model.pass().contains(.ask(.person, archived)))
    #expect(model.known[.person]?[archived] == nil)
  }

  @Test func eachThatSeemsGoneIsAskedForInAsManyPassesAsItTakesButForPeople() throws {
    var model = ListModel(pageSize: 100)
    for _ in 1...800 {
      model.add(.call)
      model.add(.person)
    }
    try model.pass()
    for kind in [RecordKind.call, .person] { for id in model.ids(kind).prefix(700) { model.remove(kind, id) } }
    func asked(_ kind: RecordKind, _ steps: [PullPlan.Step]) -> Int {
      steps.count { if case .ask(kind, _) = $0 { true } else { false } }
    }
    var steps = try model.pass()
    #expect(asked(.call, steps) == 300 && asked(.person, steps) == 700)
    #expect(model.known[.call]?.count == 500)
    #expect(asked(.call, try model.pass()) == 300)
    steps = try model.pass()
    #expect(asked(.call, steps) == 100)
    model.expectEqual()
    #expect(asked(.call, try model.pass()) == 0)
  }

  @Test func whatAListLeavesOutDoesNotKeepTheRestFromBeingDecidedOn() throws {
    var model = ListModel(pageSize: 100)
    for _ in 1...900 { model.add(.call) }
    try model.pass()
    let ids = model.ids(.call)
    // Records with odd ids are not listed, and the last hundred of the even ones are gone.
    model.hides = true
    for id in ids.filter({ $0.isMultiple(of: 2) }).suffix(100) { model.remove(.call, id) }
    for _ in 1...3 { try model.pass() }
    #expect(model.known[.call]?.count == 800)
    model.hides = false
    try model.pass(isFull: true)
    model.expectEqual()
  }

  @Test func aListThatLeavesOutWhatIsThereDeletesNothing() throws {
    var model = ListModel(pageSize: 100)
    for _ in 1...50 { model.add(.call) }
    try model.pass()
    model.hides = true
    let steps = try model.pass(isCommanded: true)
    #expect(!steps.contains { if case .settle = $0 { true } else { false } })
    #expect(model.known[.call]?.count == 50)
    model.hides = false
    try model.pass(isCommanded: true)
    model.expectEqual()
  }

  /// What is on no page is asked for by its id.
  @Test func aListThatNeverHoldsStillLosesOnlyWhatIsGone() throws {
    var model = ListModel(pageSize: 3)
    for kind in [RecordKind.note, .call] { for _ in 1...30 { model.add(kind) } }
    try model.pass()
    model.isRestless = true
    for kind in [RecordKind.note, .call] { model.remove(kind, model.ids(kind)[3]) }
    // The page that comes next begins one record later, and of that one no page tells.
    var count = 0
    let steps = try model.pass(isFull: true) { model in
      count += 1
      if count.isMultiple(of: 4), let first = model.ids(.note).first { model.remove(.note, first) }
    }
    let asked = Set(steps.compactMap { if case .ask(.note, let id) = $0 { id } else { nil } })
    let settled = steps.compactMap { if case .settle(let missing) = $0 { missing } else { nil } }
    #expect(settled.count == 1 && settled[0].contains { $0.kind == .call })
    // Some of those that were asked for are there.
    #expect(!asked.isDisjoint(with: model.ids(.note)))
    #expect(steps.count < 200)
    model.isRestless = false
    try model.pass(isFull: true)
    model.expectEqual()
  }

  @Test func whatAnUnsteadyListLeavesOutIsAskedForOnce() throws {
    var model = ListModel(pageSize: 10)
    for _ in 1...40 { model.add(.person) }
    try model.pass()
    for id in model.ids(.person).prefix(5) { model.archive(id) }
    func asked() throws -> Int {
      try model.pass { $0.add(.person) }.count { if case .ask = $0 { true } else { false } }
    }
    #expect(try asked() == 5)
    #expect(try asked() == 0)
    // Each six hours, whatever the list does.
    model.now += PullPlan.wholeInterval
    #expect(try asked() == 5)
    try model.pass()
    model.expectEqual()
  }

  @Test func aPassThatDoesNotKnowAllSaysSo() throws {
    var model = ListModel(pageSize: 10)
    for _ in 1...400 { model.add(.call) }
    try model.pass()
    func isComplete(meanwhile: (inout ListModel) -> Void = { _ in }) throws -> Bool {
      var plan = PullPlan(model.state, PullPlan.Options(isFull: true), now: model.now)
      try model.run(&plan, meanwhile: meanwhile)
      model.state = plan.state
      return plan.isComplete
    }
    #expect(try isComplete())
    // What is on no page is asked for by its id.
    #expect(try isComplete { $0.add(.call) })
    for id in model.ids(.call).prefix(PullPlan.askedAtOnce + 1) { model.remove(.call, id) }
    #expect(try !isComplete())
    #expect(try isComplete())
  }

  @Test func unknownNamesHaveCatalogsAndTagsReadOnceMore() throws {
    var model = ListModel()
    try model.pass()
    var plan = PullPlan(model.state, PullPlan.Options(), now: model.now + 1)
    #expect(plan.next != .catalogs)
    for _ in 1...3 {
      plan.met(unknownName: false)
      plan.met(unknownName: true)
    }
    #expect(plan.next == .catalogs)
    plan.tookCatalogs()
    plan.met(unknownName: false)
    var kinds: [RecordKind] = []
    while case .page(let kind, 1, _)? = plan.next {
      kinds.append(kind)
      try plan.took(PullPlan.Page(number: 1, lastPage: 1, total: 0, ids: [], bringsNothing: true)) {
        () throws(Failure) in []
      }
      if kind == .tag { plan.met(unknownName: true) }
    }
    #expect(plan.next == nil && kinds.count { $0 == .tag } == 1)
  }

  @Test func whatIsKeptIsReadAgain() throws {
    var model = ListModel(pageSize: 3)
    for _ in 1...30 { model.add(.person) }
    model.archive(model.ids(.person)[2])
    try model.pass()
    #expect(PullState(stored: model.state.stored) == model.state && !model.state.lists.isEmpty)
    #expect(PullState(stored: Array("nonsense".utf8)) == PullState() && PullState(stored: nil) == PullState())
  }

  @Test func whatIsMissingInAllListsIsDecidedTogetherAtTheEnd() throws {
    var model = ListModel(pageSize: 3)
    for kind in PullPlan.order { for _ in 1...20 { model.add(kind) } }
    try model.pass()
    for kind in [RecordKind.person, .note] { for id in model.ids(kind).prefix(4) { model.remove(kind, id) } }
    let steps = try model.pass()
    let settled = steps.compactMap { if case .settle(let missing) = $0 { missing.map(\.kind) } else { nil } }
    #expect(settled.count == 1 && settled.first?.count == 8 && Set(settled.first ?? []) == [.person, .note])
    guard case .settle? = steps.last else { return #expect(Bool(false), "it is the last step") }
  }

  @Test func listsOnWhoseMissingRecordsNothingWasDecidedAreReadAgain() throws {
    var model = ListModel(pageSize: 3)
    for _ in 1...60 { model.add(.note) }
    try model.pass()
    model.remove(.note, model.ids(.note)[30])
    // The pass ended before the decision: what it had stored until then is known.
    var plan = PullPlan(model.state, PullPlan.Options(), now: model.now)
    try model.run(&plan, until: { if case .settle = $0 { true } else { false } })
    #expect(plan.state.lists["note"]?.wholeAt == nil)
    model.state = plan.state
    try model.pass()
    #expect(model.state.lists["note"]?.wholeAt != nil)
    model.expectEqual()
  }

  // MARK: - Histories

  @Test(arguments: 0..<200)
  func inTheEndEverythingIsKnownAndNothingWasDeletedThatIsThere(_ seed: Int) throws {
    var chance = SeededGenerator(seed: UInt64(seed))
    var model = ListModel(pageSize: [3, 10, 100].randomElement(using: &chance) ?? 3)
    for _ in 0..<Int.random(in: 1...8, using: &chance) {
      for _ in 0..<Int.random(in: 0...30, using: &chance) { model.mutate(&chance) }
      model.now += Int64.random(in: 0...(4 * Self.hour), using: &chance)
      model.clock += Int64.random(in: 0...3, using: &chance)
      let disturbs = Bool.random(using: &chance)
      try model.pass(isFull: Bool.random(using: &chance), isCommanded: Bool.random(using: &chance)) { model in
        if disturbs, Int.random(in: 0..<4, using: &chance) == 0 { model.mutate(&chance) }
      }
    }
    try model.pass(isFull: true)
    model.expectEqual()
  }
}

extension PullPlan.Step {
  fileprivate var kind: RecordKind? {
    switch self {
    case .catalogs, .settle: nil
    case .page(let kind, _, _), .ask(let kind, _): kind
    }
  }
}
