import Testing

@testable import Hub

@Suite struct HeapGapsTests {
  private static let mebibyte = 1 << 20

  @Test func memoryThatHasGrownMuchIsGivenBackOnce() {
    var gaps = HeapGaps()
    #expect(!gaps.look(10 * Self.mebibyte).walks)
    #expect(!gaps.look(15 * Self.mebibyte).walks)
    #expect(gaps.look(16 * Self.mebibyte).walks)
    gaps.walked(14 * Self.mebibyte)
    // Memory still in use is not trimmed again.
    #expect(!gaps.look(14 * Self.mebibyte).walks)
    #expect(!gaps.look(19 * Self.mebibyte).walks)
    #expect(gaps.look(20 * Self.mebibyte).walks)
  }

  @Test func growthCountsFromTheLeastThatWasSeen() {
    var gaps = HeapGaps()
    _ = gaps.look(40 * Self.mebibyte)
    #expect(!gaps.look(10 * Self.mebibyte).walks)
    #expect(gaps.look(20 * Self.mebibyte).walks)
  }

  @Test func anIdleHubIsLookedAtSeldom() {
    var gaps = HeapGaps()
    #expect(gaps.look(10 * Self.mebibyte).again == .seconds(3))
    #expect(gaps.look(10 * Self.mebibyte + 100_000).again == .seconds(3))
    #expect(gaps.look(13 * Self.mebibyte).again == .milliseconds(250))
    #expect(gaps.look(12 * Self.mebibyte).again == .milliseconds(250))
    // It now has as much as it needs.
    #expect(gaps.look(12 * Self.mebibyte).again == .seconds(3))
  }
}
