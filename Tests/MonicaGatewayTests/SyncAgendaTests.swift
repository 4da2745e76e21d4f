import Bus
import Testing

@testable import MonicaGateway

/// Which callers join which pass.
@Suite struct SyncAgendaTests {
  private let ann = UUIDv7.make()
  private let bea = UUIDv7.make()
  private let cid = UUIDv7.make()
  private let commanded = PullPlan.Options(isCommanded: true)
  private let full = PullPlan.Options(isFull: true)

  @Test func aPassThatHasReadNothingIsJoined() {
    var agenda = SyncAgenda()
    agenda.ask(self.ann, reading: self.commanded, cause: "first")
    let pass = agenda.begin()
    #expect(pass?.cause == "first" && agenda.next == nil)
    agenda.ask(self.bea, reading: self.commanded)
    agenda.ask(self.cid, reading: nil)
    let waiters = agenda.end()
    #expect(agenda.next == nil && waiters == [self.ann, self.bea, self.cid])
  }

  @Test func aPassThatReadsIsFollowedByAnother() {
    var agenda = SyncAgenda()
    agenda.ask(self.ann, reading: self.commanded)
    _ = agenda.begin()
    agenda.close()
    agenda.ask(self.bea, reading: nil)
    agenda.ask(self.cid, reading: self.commanded)
    let early = agenda.begin()
    let waiters = agenda.end()
    #expect(early == nil && waiters == [self.ann])
    let next = agenda.begin()
    #expect(next?.waiters == [self.bea, self.cid] && next?.reading == self.commanded)
  }

  @Test func whoWantsMoreThanThePassDoesGetsAnother() {
    var agenda = SyncAgenda()
    agenda.ask(self.ann, reading: nil)
    _ = agenda.begin()
    agenda.ask(self.bea, reading: self.commanded)
    agenda.ask(self.cid, reading: self.full)
    #expect(agenda.next?.reading == PullPlan.Options(isFull: true, isCommanded: true))
  }

  @Test func aPassIsGivenUpWhenTheLastLeaves() {
    var agenda = SyncAgenda()
    agenda.ask(self.ann, reading: nil)
    agenda.ask(self.bea, reading: nil)
    _ = agenda.begin()
    agenda.close()
    agenda.ask(self.cid, reading: nil)
    let hasCidEnded = agenda.leave(self.cid)
    #expect(!hasCidEnded && agenda.next == nil)
    let hasAnnEnded = agenda.leave(self.ann)
    #expect(!hasAnnEnded)
    let hasBeaEnded = agenda.leave(self.bea)
    #expect(hasBeaEnded)
    let hasBeaEndedAgain = agenda.leave(self.bea)
    #expect(!hasBeaEndedAgain)
  }

  @Test func aPassThatIsDueByItselfRunsForNobody() {
    var agenda = SyncAgenda()
    agenda.ask(nil, reading: PullPlan.Options())
    _ = agenda.begin()
    agenda.ask(self.ann, reading: nil)
    let hasAnnEnded = agenda.leave(self.ann)
    #expect(!hasAnnEnded)
    let waiters = agenda.end()
    let next = agenda.begin()
    #expect(waiters.isEmpty && next == nil)
  }
}
