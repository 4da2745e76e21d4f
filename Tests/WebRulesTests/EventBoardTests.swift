import KithMessages
import Testing

@testable import WebRules

@Suite struct EventBoardTests {
  private typealias Item = EventReader.Item

  private func position(_ stream: String, _ seq: UInt64, epoch: String = "e1") -> StreamPosition {
    var position = StreamPosition()
    position.stream = stream
    position.epoch = epoch
    position.seq = seq
    return position
  }

  private func event(_ stream: String, _ seq: UInt64, epoch: String = "e1") -> LoggedEvent {
    var event = LoggedEvent()
    event.header.stream = stream
    event.header.epoch = epoch
    event.header.seq = seq
    return event
  }

  /// A board whose hub is at care=10, sync=5.
  private func board() -> EventBoard {
    var board = EventBoard()
    board.start([self.position("care", 10), self.position("sync", 5), self.position("secret", 1)])
    _ = board.hub(isUp: true)
    return board
  }

  /// The ids of events, and other items by their word.
  private func words(_ items: [Item]) -> [String] {
    items.map { item in
      switch item {
      case .position(let id): "at \(id)"
      case .event(let id, _): id
      case .resync(_, let stream, let reason): "resync \(stream) \(reason)"
      case .hub(let isUp): isUp ? "back" : "away"
      case .comment: "comment"
      case .gap(let stream, _, let after): "gap \(stream) \(after)"
      case .end: "end"
      }
    }
  }

  @Test func aReaderBeginsNowAndGetsWhatComes() {
    var board = self.board()
    let id = board.join(streams: ["care", "sync"], since: nil, of: "d")
    #expect(self.words(board.take(id)) == ["at e1:care=10,sync=5"])
    #expect(board.publish(self.event("care", 11)) == [id] && board.publish(self.event("jobs", 1)).isEmpty)
    _ = board.publish(self.event("sync", 6))
    #expect(self.words(board.take(id)) == ["e1:care=11,sync=5", "e1:care=11,sync=6"] && board.take(id).isEmpty)
  }

  @Test func aPageIsMadeWhereAReaderOfItsStreamsBeginsUntilOneOfThemGoesOn() {
    #expect(EventBoard().vector == nil)
    var board = self.board()
    func begins() -> [String] { self.words(board.take(board.join(streams: ["care"], since: nil, of: "d"))) }
    let made = "at \(board.vector?.only(["care"]).text ?? "")"
    #expect(begins() == [made])
    _ = board.publish(self.event("sync", 6))
    #expect(begins() == [made])
    _ = board.publish(self.event("care", 11))
    #expect(begins() == ["at e1:care=11"] && made == "at e1:care=10")
  }

  @Test func theDataIsHeaderAndEvent() {
    var board = self.board()
    let id = board.join(streams: ["care"], since: nil, of: "d")
    _ = board.take(id)
    _ = board.publish(self.event("care", 11))
    #expect(
      board.take(id) == [.event(id: "e1:care=11", json: #"{"header":{"stream":"care","epoch":"e1","seq":"11"}}"#)])
  }

  @Test func aReaderGoesOnWithoutAGapFromMemory() {
    var board = self.board()
    for seq in 11...20 { _ = board.publish(self.event("care", UInt64(seq))) }
    let id = board.join(streams: ["care"], since: EventVector("e1:care=17"), of: "d")
    _ = board.publish(self.event("care", 21))
    #expect(
      self.words(board.take(id)) == ["at e1:care=17", "e1:care=18", "e1:care=19", "e1:care=20", "e1:care=21"])
  }

  @Test func whatIsNotInMemoryComesFromTheHubBeforeWhatCameMeanwhile() {
    var board = self.board()
    let id = board.join(streams: ["care", "sync"], since: EventVector("e1:care=7,sync=5"), of: "d")
    _ = board.publish(self.event("care", 11))
    #expect(self.words(board.take(id)) == ["at e1:care=7,sync=5", "gap care 7"])
    // One page of two.
    board.fill(id, "care", [self.event("care", 8), self.event("care", 9)])
    #expect(self.words(board.take(id)) == ["e1:care=8,sync=5", "e1:care=9,sync=5", "gap care 9"])
    // It has the live event too, which is sent once.
    board.fill(id, "care", [self.event("care", 10), self.event("care", 11)])
    #expect(self.words(board.take(id)) == ["e1:care=10,sync=5", "e1:care=11,sync=5"])
  }

  @Test(arguments: [
    ("e0:care=7", "new_epoch"), ("e1:care=11", "hub_behind"), ("e1:", "no_position"),
    ("e1:care=18446744073709551615", "hub_behind"),
  ]) func aPositionThatDoesNotCountIsTold(_ since: String, _ reason: String) {
    var board = self.board()
    let id = board.join(streams: ["care"], since: EventVector(since), of: "d")
    #expect(self.words(board.take(id)) == ["at e1:care=10", "resync care \(reason)"])
    _ = board.publish(self.event("care", 11))
    #expect(self.words(board.take(id)) == ["e1:care=11"])
  }

  @Test func whatIsCompactedIsTold() {
    var board = self.board()
    let id = board.join(streams: ["care"], since: EventVector("e1:care=2"), of: "d")
    _ = board.take(id)
    _ = board.publish(self.event("care", 11))
    board.skip(id, "care", reason: "compacted")
    #expect(self.words(board.take(id)) == ["resync care compacted"])
    _ = board.publish(self.event("care", 12))
    #expect(self.words(board.take(id)) == ["e1:care=12"])
  }

  @Test func aReaderThatIsTooSlowReadsAnewAndOthersDoNot() {
    var board = self.board()
    let slow = board.join(streams: ["care", "sync"], since: nil, of: "d")
    let quick = board.join(streams: ["care"], since: nil, of: "d")
    _ = board.take(slow)
    _ = board.take(quick)
    var seen = 0
    for seq in 11...(10 + UInt64(EventReader.room) + 1) {
      _ = board.publish(self.event("care", seq))
      seen += board.take(quick).count
    }
    #expect(seen == EventReader.room + 1)
    #expect(self.words(board.take(slow)) == ["resync care too_slow"])
    _ = board.publish(self.event("care", 12 + UInt64(EventReader.room)))
    #expect(self.words(board.take(slow)) == ["e1:care=\(12 + EventReader.room),sync=5"])
  }

  @Test func aNewLogBeginsEachStreamAnew() {
    var board = self.board()
    let id = board.join(streams: ["care", "sync"], since: nil, of: "d")
    _ = board.take(id)
    board.resync("care", cause: "new_epoch")
    board.resync("sync", cause: "new_epoch")
    #expect(board.moved(self.position("care", 2, epoch: "e2")) == [id])
    // The number of the other stream belongs to the old log: no id has it.
    #expect(
      board.take(id) == [.resync(id: "e2:care=2", stream: "care", reason: "new_epoch")])
    _ = board.moved(self.position("sync", 1, epoch: "e2"))
    #expect(board.take(id) == [.resync(id: "e2:care=2,sync=1", stream: "sync", reason: "new_epoch")])
    _ = board.publish(self.event("care", 3, epoch: "e2"))
    #expect(self.words(board.take(id)) == ["e2:care=3,sync=1"])
  }

  @Test func aRepairThatLostNothingIsNotTold() {
    var board = self.board()
    let id = board.join(streams: ["care"], since: nil, of: "d")
    _ = board.take(id)
    _ = board.publish(self.event("care", 11))
    #expect(board.moved(self.position("care", 11)).isEmpty)
    #expect(self.words(board.take(id)) == ["e1:care=11"])
  }

  @Test func aReaderKnowsWhetherTheHubIsThere() {
    var board = self.board()
    let id = board.join(streams: ["care"], since: nil, of: "d")
    _ = board.take(id)
    #expect(board.hub(isUp: true).isEmpty && board.hub(isUp: false) == [id])
    _ = board.tick()
    _ = board.tick()
    #expect(self.words(board.take(id)) == ["away", "comment"])
    let late = board.join(streams: ["care"], since: nil, of: "d")
    #expect(self.words(board.take(late)) == ["at e1:care=10", "away"])
    // Only the last word counts for a reader that took neither.
    _ = board.hub(isUp: true)
    _ = board.hub(isUp: false)
    #expect(self.words(board.take(id)) == ["away"])
  }

  @Test func theStreamsOfADeviceEnd() {
    var board = self.board()
    let (one, two) = (
      board.join(streams: ["care"], since: nil, of: "a"), board.join(streams: ["care"], since: nil, of: "b")
    )
    #expect(board.end(device: "a") == [one] && board.take(one) == [.end])
    _ = board.publish(self.event("care", 11))
    #expect(board.take(one) == [.end] && self.words(board.take(two)) == ["at e1:care=10", "e1:care=11"])
    board.leave(two)
    #expect(board.take(two) == [.end] && board.end() == [one])
  }

  /// Whatever is lost between, delayed or fetched: a reader gets each event once, in order.
  @Test(arguments: 0..<50 as Range<UInt64>) func aReaderGetsEachEventOnce(seed: UInt64) {
    var state = seed &* 6_364_136_223_846_793_005 &+ 1
    func random(_ bound: UInt64) -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (state >> 33) % bound
    }
    var board = self.board()
    var head: UInt64 = 10
    let since = random(11)
    let id = board.join(streams: ["care"], since: EventVector(epoch: "e1", positions: ["care": since]), of: "d")
    var got: [String] = []
    for round in 0..<1000 {
      if round < 60 {
        for _ in 0..<random(4) {
          head += 1
          // The hub's client loses none; the board holds even if one is lost on the way here.
          if random(5) > 0 { _ = board.publish(self.event("care", head)) }
        }
      } else if round == 60 {
        head += 1
        _ = board.publish(self.event("care", head))
      }
      let items = board.take(id)
      if round > 60, items.isEmpty { break }
      for item in items {
        switch item {
        case .event(let id, _): got.append(id)
        case .gap(_, _, let after):
          let last = min(head, after + 1 + random(3))
          board.fill(id, "care", (after + 1...last).map { self.event("care", $0) })
        case .resync, .end: Issue.record("seed \(seed): \(item)")
        default: break
        }
      }
    }
    #expect(got == (since + 1...head).map { "e1:care=\($0)" }, "seed \(seed)")
  }
}

@Suite struct EventVectorTests {
  @Test func itIsReadAsItIsWritten() {
    let vector = EventVector(epoch: "0198-ab", positions: ["sync": 40, "care": 12])
    #expect(vector.text == "0198-ab:care=12,sync=40" && EventVector(vector.text) == vector)
    #expect(EventVector("e:")?.positions == [:])
  }

  @Test(arguments: [
    "", "e", ":care=1", "e:care", "e:care=-1", "e:care=1,care=2", "e:=1", "e:care=1=2", "e f:care=1",
    "e:care=18446744073709551616", "e:\u{0}=1", String(repeating: "e", count: 1020) + ":care=1",
  ]) func whatIsNone(_ text: String) { #expect(EventVector(text) == nil) }
}
