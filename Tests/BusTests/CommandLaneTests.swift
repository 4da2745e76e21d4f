import KithMessages
import Testing

@testable import Bus

/// The commands of a connection start in order of arrival.
@Suite(.timeLimit(.minutes(5)))
struct CommandLaneTests {
  @Test func aCommandStartsWhenTheOneBeforeHasHandedInItsWrite() {
    var lane = CommandLane()
    for serial: UInt64 in 1...3 { lane.enter(serial, .afterWrites) }
    #expect(!lane.isWaiting(1) && lane.isWaiting(2) && lane.isWaiting(3))
    #expect(lane.wrote(1) == [2])
    // Its end changes nothing: the next waits for the second's write.
    #expect(lane.end(1) == [])
    #expect(lane.wrote(2) == [3])
    #expect(lane.end(3) == [] && lane.end(2) == [] && lane.isEmpty)
  }

  @Test func aCommandThatLooksFirstStartsAtTheEndsOfTheOthers() {
    var lane = CommandLane()
    lane.enter(1, .afterWrites)
    lane.enter(2, .afterWrites)
    lane.enter(3, .afterEnds)
    lane.enter(4, .afterWrites)
    #expect(lane.wrote(1) == [2])
    #expect(lane.wrote(2) == [])
    #expect(lane.end(2) == [])
    #expect(lane.end(1) == [3], "the ends come in any order")
    #expect(lane.wrote(3) == [4])
    #expect(!lane.isWaiting(4))
  }

  @Test func aCommandThatFailsBeforeItWritesLetsTheNextStart() {
    var lane = CommandLane()
    for serial: UInt64 in 1...3 { lane.enter(serial, .afterEnds) }
    // Cancelled while it waited.
    #expect(lane.end(2) == [])
    #expect(lane.end(1) == [3])
    #expect(lane.end(1) == [] && lane.wrote(1) == [])
    #expect(lane.end(3) == [] && lane.isEmpty)
  }

  @Test func whatComesWhileAllHaveWrittenStartsAtOnce() {
    var lane = CommandLane()
    lane.enter(1, .afterWrites)
    #expect(lane.wrote(1) == [])
    lane.enter(2, .afterWrites)
    lane.enter(3, .afterWrites)
    #expect(!lane.isWaiting(2) && lane.isWaiting(3))
  }

  @Test func connectionsAndUploadsDoNotWaitForEachOther() async throws {
    let lanes = CommandLanes()
    let first = lanes.enter([1], of: .hub, .afterEnds)
    let other = lanes.enter([2], of: .hub, .afterEnds)
    let piece = lanes.enter([1], of: .hub, .amongUploads)
    #expect(lanes.enter([1], of: .hub, .free)?.serial == nil)
    for turn in [first, other, piece] { try await turn?.begin() }
    for turn in [first, other, piece] { turn?.end() }
    #expect(lanes.isEmpty)
  }

  @Test func devicesBehindOneDoorDoNotWaitForEachOther() async throws {
    let lanes = CommandLanes()
    let (first, other) = (Principal(name: "device:a", role: .recorder), Principal(name: "device:b", role: .recorder))
    let slow = try #require(lanes.enter([1], of: first, .afterEnds))
    let behind = try #require(lanes.enter([1], of: first, .afterEnds))
    let beside = try #require(lanes.enter([1], of: other, .afterEnds))
    try await slow.begin()
    // It would wait for ever if it stood behind the slow one.
    try await beside.begin()
    beside.end()
    slow.end()
    try await behind.begin()
    behind.end()
    #expect(lanes.isEmpty)
  }

  @Test func aCancelledCommandGivesItsPlaceUp() async throws {
    let lanes = CommandLanes()
    let turns = try (1...3).map { _ in try #require(lanes.enter([1], of: .hub, .afterEnds)) }
    try await turns[0].begin()
    let second = Task { try await turns[1].begin() }
    second.cancel()
    await #expect(throws: Failure.cancelled) { try await second.value }
    let third = Task { try await turns[2].begin() }
    turns[0].end()
    try await third.value
    turns[2].end()
    #expect(lanes.isEmpty)
  }
}
