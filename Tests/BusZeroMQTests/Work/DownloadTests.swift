import Bus
import KithMessages
import SwiftProtobuf
import Testing

@testable import BusZeroMQ

/// The requests of a worker for an input, and its retries.
struct DownloadTests {
  private let start = ContinuousClock.now
  private let piece = [UInt8](repeating: 7, count: WireLimits.attachment)
  private let blob = BlobRef.with { $0.sha256 = "digest" }

  private func chunk(_ number: Int, isLast: Bool = false) -> Chunk {
    .with {
      $0.offset = UInt64(number * WireLimits.attachment)
      $0.eof = isLast
    }
  }

  @Test func itAsksForAPartAfterTheOther() {
    var download = Download(self.blob, now: self.start)
    #expect(download.ask(self.start).offset == 0)
    for number in 0..<3 {
      #expect(download.take(self.chunk(number), self.piece, now: self.start) == .waiting)
    }
    let next = Fetch.with {
      $0.sha256 = "digest"
      $0.offset = 1 << 20
      $0.window = 1 << 20
    }
    #expect(download.take(self.chunk(3), self.piece, now: self.start) == .ask(next))
    let whole = [UInt8](repeating: 7, count: (1 << 20) + 1)
    #expect(download.take(self.chunk(4, isLast: true), [7], now: self.start) == .whole(whole))
  }

  @Test func anyChunkIsASignOfLife() {
    var download = Download(self.blob, now: self.start)
    _ = download.ask(self.start)
    _ = download.take(self.chunk(0), self.piece, now: self.start + .seconds(2))
    #expect(download.retryAt == self.start + .seconds(5))
    // A repeated chunk, and one after a gap.
    #expect(download.take(self.chunk(0), self.piece, now: self.start + .seconds(4)) == .waiting)
    #expect(download.retryAt == self.start + .seconds(7))
    #expect(download.take(self.chunk(2), self.piece, now: self.start + .seconds(6)) == .waiting)
    #expect(download.retryAt == self.start + .seconds(9))
    #expect(download.again(now: self.start + .seconds(9)).offset == UInt64(WireLimits.attachment))
  }

  @Test func itWaitsTwiceAsLongEachTime() {
    var download = Download(self.blob, now: self.start)
    _ = download.ask(self.start)
    var (waits, now) = ([Duration](), self.start)
    for _ in 0..<5 {
      waits.append(download.retryAt - now)
      now = download.retryAt
      _ = download.again(now: now)
    }
    #expect(waits == [.seconds(3), .seconds(6), .seconds(12), .seconds(24), .seconds(24)])
    _ = download.take(self.chunk(0), self.piece, now: now)
    #expect(download.retryAt == now + .seconds(24))
  }

  @Test func whoeverWantsTheJobMayBeAwayForAWhile() {
    var download = Download(self.blob, now: self.start)
    _ = download.ask(self.start)
    let missing = Chunk.with {
      $0.status = Failure(.failedPrecondition, "BLOB_MISSING", "away", retryAfterMilliseconds: 1000).status
    }
    var now = self.start
    // A requested pause does not count as a timeout.
    for _ in 0..<100 {
      #expect(download.take(missing, [], now: now) == .waiting && download.retryAt == now + .seconds(1))
      now = download.retryAt
      _ = download.again(now: now)
    }
    // A hub that returns and leaves again has the full time again.
    _ = download.take(self.chunk(0), self.piece, now: now)
    #expect(download.take(missing, [], now: now + .seconds(30)) == .waiting)
    let outcome = download.take(missing, [], now: now + .seconds(151))
    guard case .missing(let failure) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(failure.reason == "BLOB_MISSING")
  }
}
