import Testing

@testable import Bus

@Suite(.timeLimit(.minutes(5))) struct HandoffTests {
  @Test func valuesComeInOrderAndThenNoMore() async throws {
    let handoff = Handoff<Int>()
    async let taken = Self.takeAll(handoff)
    for value in 1...100 { try await handoff.give(value) }
    await handoff.close()
    #expect(await taken == Array(1...100))
  }

  @Test func whoeverGivesWhatNobodyTakesAnyMoreIsTold() async throws {
    let handoff = Handoff<Int>()
    let giver = Task { () async -> Failure? in
      do throws(Failure) { try await handoff.give(1) } catch { return error }
      return nil
    }
    while await !handoff.isOffering { await Task.yield() }
    await handoff.close()
    #expect(await giver.value == .cancelled)
    #expect(await handoff.take() == nil)
    await #expect(throws: Failure.cancelled) { try await handoff.give(2) }
  }

  private static func takeAll(_ handoff: Handoff<Int>) async -> [Int] {
    var taken: [Int] = []
    while let value = await handoff.take() { taken.append(value) }
    return taken
  }
}

extension Handoff {
  fileprivate var isOffering: Bool { self.offered != nil }
}
