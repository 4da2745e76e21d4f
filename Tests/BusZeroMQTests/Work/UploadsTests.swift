import Digest
import Foundation
import KithMessages
import SwiftProtobuf
import Testing

@testable import BusZeroMQ

/// Bodies in chunks stay within the limits, whatever workers send.
struct UploadsTests {
  private let limits = Uploads.Limits(bytesPerBlob: 100, bytes: 250, bodies: 4)
  private let start = ContinuousClock.now

  private func chunk(_ bytes: [UInt8], of whole: [UInt8], at offset: Int = 0) -> Chunk {
    .with {
      $0.sha256 = Hex.encode(SHA256.digest(whole))
      $0.offset = UInt64(offset)
      $0.eof = offset + bytes.count == whole.count
      $0.size = UInt64(whole.count)
    }
  }

  private func send(_ whole: [UInt8], to uploads: inout Uploads, from peer: [UInt8]) -> ChunkAck {
    uploads.add(self.chunk(whole, of: whole), whole, from: peer, now: self.start)
  }

  private func body(_ byte: UInt8, _ count: Int) -> [UInt8] { [UInt8](repeating: byte, count: count) }

  @Test func aBodyComesInPiecesAndIsWhole() {
    var uploads = Uploads(limits: self.limits)
    let whole = self.body(1, 60)
    let first = uploads.add(self.chunk(Array(whole[..<40]), of: whole), Array(whole[..<40]), from: [1], now: self.start)
    #expect(first.nextOffset == 40 && !first.done)
    let gap = uploads.add(self.chunk([1], of: whole, at: 50), [1], from: [1], now: self.start)
    #expect(gap.status.reason == "OFFSET_GAP" && gap.nextOffset == 40)
    let last = uploads.add(
      self.chunk(Array(whole[40...]), of: whole, at: 40), Array(whole[40...]), from: [1], now: self.start)
    // It belongs to that worker alone, and is taken once.
    #expect(last.done && uploads.take(last.sha256, from: [2]) == nil)
    #expect(uploads.take(last.sha256, from: [1]) == whole && uploads.bytes == 0)
    #expect(uploads.take(last.sha256, from: [1]) == nil)
  }

  @Test func whatWasSentBeforeChangesNothing() {
    var uploads = Uploads(limits: self.limits)
    let whole = self.body(1, 60)
    for offset in [0, 20, 0, 20, 40, 0, 40] {
      let data = Array(whole[offset..<(offset + 20)])
      let ack = uploads.add(self.chunk(data, of: whole, at: offset), data, from: [1], now: self.start)
      #expect(ack.status == Status() && ack.nextOffset >= UInt64(offset + 20))
    }
    #expect(uploads.bytes == 60 && uploads.take(self.chunk(whole, of: whole).sha256, from: [1]) == whole)
  }

  @Test func whatNobodyTouchesIsLetGo() {
    var uploads = Uploads(limits: self.limits)
    let (whole, other) = (self.body(1, 60), self.body(2, 60))
    let data = Array(whole[..<40])
    _ = uploads.add(self.chunk(data, of: whole), data, from: [1], now: self.start)
    _ = self.send(other, to: &uploads, from: [1])
    _ = uploads.add(self.chunk(data, of: whole), data, from: [1], now: self.start + .seconds(20))
    uploads.drop(untouchedSince: self.start)
    #expect(uploads.bytes == 40)
    uploads.drop(untouchedSince: self.start + .seconds(19))
    #expect(uploads.bytes == 40)
    uploads.drop(untouchedSince: self.start + .seconds(20))
    #expect(uploads.bytes == 0)
  }

  @Test func whatIsNotWhatItSaysIsDropped() {
    var uploads = Uploads(limits: self.limits)
    let ack = uploads.add(
      self.chunk(self.body(1, 10), of: self.body(2, 10)), self.body(1, 10), from: [1], now: self.start)
    #expect(ack.status.reason == "DIGEST_MISMATCH" && ack.nextOffset == 0 && uploads.bytes == 0)
  }

  @Test func noBodyIsLargerThanItsBound() {
    var uploads = Uploads(limits: self.limits)
    #expect(self.send(self.body(1, 100), to: &uploads, from: [1]).done)
    let ack = self.send(self.body(2, 101), to: &uploads, from: [1])
    // It can never fit.
    #expect(ack.status.reason == "BODY_TOO_LARGE" && ack.status.retryAfterMs == 0)
    // Nor does it fit if its size was not announced.
    var chunk = self.chunk(self.body(3, 101), of: self.body(3, 101))
    chunk.size = 0
    #expect(uploads.add(chunk, self.body(3, 101), from: [1], now: self.start).status.reason == "BODY_TOO_LARGE")
    #expect(uploads.bytes == 100)
  }

  @Test func allTogetherAreBoundedAndWhatIsUsedMakesRoom() {
    var uploads = Uploads(limits: self.limits)
    let first = self.send(self.body(1, 100), to: &uploads, from: [1])
    #expect(first.done && self.send(self.body(2, 100), to: &uploads, from: [2]).done)
    let full = self.send(self.body(3, 51), to: &uploads, from: [3])
    #expect(full.status.reason == "BLOB_QUOTA" && full.status.retryAfterMs > 0)
    _ = uploads.take(first.sha256, from: [1])
    #expect(self.send(self.body(3, 51), to: &uploads, from: [3]).done)
    uploads.drop(peer: [2])
    #expect(uploads.bytes == 51)
  }

  @Test func namesAreBoundedAsWell() {
    var uploads = Uploads(limits: self.limits)
    for number in 0..<4 {
      let whole = self.body(UInt8(number), 9)
      #expect(
        uploads.add(self.chunk([UInt8(number)], of: whole), [UInt8(number)], from: [1], now: self.start).nextOffset == 1
      )
    }
    #expect(self.send(self.body(9, 1), to: &uploads, from: [2]).status.reason == "BLOB_QUOTA")
    var nameless = Chunk()
    nameless.sha256 = "short"
    var empty = Uploads(limits: self.limits)
    #expect(empty.add(nameless, [1], from: [1], now: self.start).status.reason == "FIELD_INVALID")
  }
}
