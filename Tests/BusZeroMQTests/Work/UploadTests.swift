import Bus
import KithMessages
import SwiftProtobuf
import Testing

@testable import BusZeroMQ

/// The chunks that a worker sends of a body, and its reaction to each answer.
struct UploadTests {
  private static let piece = WireLimits.attachment
  private let start = ContinuousClock.now

  /// A body of a number of whole chunks; the first window is sent.
  private func upload(_ chunks: Int) throws -> Upload {
    var upload = try #require(Upload([UInt8](repeating: 7, count: chunks * Self.piece), now: self.start))
    #expect(self.offsets(upload.next()) == Array(0..<min(chunks, 4)))
    return upload
  }

  private func offsets(_ chunks: [(Chunk, [UInt8])]) -> [Int] { chunks.map { Int($0.0.offset) / Self.piece } }

  private func ack(_ next: Int, isDone: Bool = false) -> ChunkAck {
    .with {
      $0.nextOffset = UInt64(next * Self.piece)
      $0.done = isDone
    }
  }

  private func no(_ failure: Failure, _ next: Int = 0) -> ChunkAck {
    var ack = self.ack(next)
    ack.status = failure.status
    return ack
  }

  private func gap(_ next: Int) -> ChunkAck { self.no(Failure(.outOfRange, "OFFSET_GAP", ""), next) }

  @Test func whatFitsAFrameIsNotSentInChunks() {
    #expect(Upload([UInt8](repeating: 1, count: WireLimits.body), now: self.start) == nil)
  }

  @Test func fourChunksAreUnderWay() throws {
    var upload = try self.upload(6)
    upload.take(self.ack(1), now: self.start)
    upload.take(self.ack(2), now: self.start)
    let last = upload.next()
    #expect(self.offsets(last) == [4, 5] && last.map(\.0.eof) == [false, true])
    upload.take(self.ack(6, isDone: true), now: self.start)
    #expect(upload.isDone && upload.retryAt == nil && upload.next().isEmpty)
  }

  @Test func itGoesBackOnceForAGap() throws {
    var upload = try self.upload(8)
    upload.take(self.ack(1), now: self.start)
    #expect(self.offsets(upload.next()) == [4])
    // The second was lost; the answers to the third, fourth and fifth report it.
    upload.take(self.gap(1), now: self.start)
    #expect(self.offsets(upload.next()) == [1, 2, 3, 4])
    for _ in 0..<2 {
      upload.take(self.gap(1), now: self.start)
      #expect(upload.next().isEmpty)
    }
    // It is lost again, later.
    upload.take(self.ack(2), now: self.start)
    #expect(self.offsets(upload.next()) == [5])
    upload.take(self.gap(2), now: self.start)
    #expect(self.offsets(upload.next()) == [2, 3, 4, 5])
  }

  @Test func answersToWhatWasSentTwiceAreNotGoneBackFor() throws {
    var upload = try self.upload(8)
    upload.again(now: self.start + .seconds(3))
    #expect(self.offsets(upload.next()) == [0, 1, 2, 3])
    for next in 1...4 { upload.take(self.ack(next), now: self.start + .seconds(4)) }
    #expect(self.offsets(upload.next()) == [4, 5, 6, 7])
    for _ in 0..<4 {
      upload.take(self.ack(4), now: self.start + .seconds(4))
      #expect(upload.next().isEmpty)
    }
  }

  @Test func itWaitsTwiceAsLongEachTime() throws {
    var (upload, waits) = (try self.upload(2), [Duration]())
    var now = self.start
    for _ in 0..<5 {
      let end = try #require(upload.retryAt)
      waits.append(end - now)
      now = end
      upload.again(now: now)
      #expect(self.offsets(upload.next()) == [0, 1])
    }
    #expect(waits == [.seconds(3), .seconds(6), .seconds(12), .seconds(24), .seconds(24)])
    // A slow link stays slow.
    upload.take(self.ack(1), now: now)
    #expect(upload.retryAt == now + .seconds(24))
  }

  @Test func whereThereIsNoRoomItWaitsAsLongAsTheHubSays() throws {
    var upload = try self.upload(8)
    let full = Failure(.resourceExhausted, "BLOB_QUOTA", "", retryAfterMilliseconds: 5000)
    upload.take(self.no(full), now: self.start)
    for _ in 0..<3 { upload.take(self.gap(0), now: self.start) }
    #expect(upload.next().isEmpty && upload.retryAt == self.start + .seconds(5) && upload.refusal == nil)
    upload.again(now: self.start + .seconds(5))
    #expect(self.offsets(upload.next()) == [0, 1, 2, 3])
    // That does not count as a timeout.
    #expect(upload.retryAt == self.start + .seconds(8))
  }

  @Test(arguments: ["BODY_TOO_LARGE", "DIGEST_MISMATCH"]) func whatIsRefusedIsNotSentAgain(reason: String) throws {
    var upload = try self.upload(8)
    upload.take(self.no(Failure(.invalidArgument, reason, "")), now: self.start)
    #expect(upload.refusal?.reason == reason && !upload.isDone)
  }

  @Test func aHubThatHasLostItGetsItOnceMore() throws {
    var upload = try self.upload(2)
    upload.take(self.ack(2, isDone: true), now: self.start)
    let lost = self.no(Failure(.failedPrecondition, "BLOB_MISSING", ""))
    upload.take(lost, now: self.start)
    #expect(!upload.isDone && self.offsets(upload.next()) == [0, 1])
    // The message that names it is sent again while the body is being uploaded.
    upload.take(lost, now: self.start)
    upload.take(self.ack(1), now: self.start)
    upload.take(lost, now: self.start)
    #expect(upload.next().isEmpty)
    upload.take(self.ack(2, isDone: true), now: self.start)
    #expect(upload.isDone)
  }

  @Test func aHubThatIsNewSaysWhereItIs() throws {
    var upload = try self.upload(8)
    upload.take(self.ack(3), now: self.start)
    _ = upload.next()
    upload.again(now: self.start + .seconds(1))
    #expect(self.offsets(upload.next()) == [3, 4, 5, 6])
    upload.take(self.gap(0), now: self.start + .seconds(1))
    #expect(self.offsets(upload.next()) == [0, 1, 2, 3])
    upload.take(self.gap(0), now: self.start + .seconds(1))
    #expect(upload.next().isEmpty)
  }
}
