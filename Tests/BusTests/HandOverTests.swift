import Testing

@testable import Bus

@Suite(.timeLimit(.minutes(1))) struct HandOverTests {
  @Test func valuesComeInOrderAndThenNoMore() async throws {
    let handOver = HandOver<Int>()
    async let taken = Self.takeAll(handOver)
    for value in 1...100 { try await handOver.give(value) }
    await handOver.close()
    #expect(await taken == Array(1...100))
  }

  @Test func whoeverGivesWhatNobodyTakesAnyMoreIsTold() async throws {
    let handOver = HandOver<Int>()
    let giver = Task { () async -> Failure? in
      do throws(Failure) { try await handOver.give(1) } catch { return error }
      return nil
    }
    while await !handOver.isOffering { await Task.yield() }
    await handOver.close()
    #expect(await giver.value == .cancelled)
    #expect(await handOver.take() == nil)
    await #expect(throws: Failure.cancelled) { try await handOver.give(2) }
  }

  private static func takeAll(_ handOver: HandOver<Int>) async -> [Int] {
    var taken: [Int] = []
    while let value = await handOver.take() { taken.append(value) }
    return taken
  }
}

extension HandOver {
  fileprivate var isOffering: Bool { self.offered != nil }
}
