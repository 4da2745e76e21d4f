import Bus
import Digest
import KithMessages
import SwiftProtobuf
import TestKit
import Testing

@testable import BusZeroMQ

/// Bodies between both sides as values, over links that are slow, stall and lose messages: they arrive complete, and few
/// bytes are sent twice.
struct TransferHistoryTests {
  typealias Instant = ContinuousClock.Instant

  @Test(arguments: 1...60) func aBodyComesUpWhole(seed: UInt64) throws {
    var line = Line(seed: seed)
    let bytes = line.body()
    var upload = try #require(Upload(bytes, now: line.now))
    var hub = Uploads()
    var (up, down) = (Wire<(Chunk, [UInt8])>(line), Wire<ChunkAck>(line))
    var steps = 0
    while !upload.isDone, steps < 5000 {
      steps += 1
      for chunk in upload.next() { up.send(chunk, chunk.1.count, &line) }
      line.now = [up.arrival, down.arrival, upload.retryAt].compactMap(\.self).min() ?? line.now
      if let (chunk, data) = up.receive(line.now) {
        down.send(hub.add(chunk, data, from: [1], now: line.now), 100, &line)
      } else if let ack = down.receive(line.now) {
        upload.take(ack, now: line.now)
      } else {
        upload.again(now: line.now)
      }
    }
    #expect(upload.isDone && hub.take(upload.blob.sha256, from: [1]) == bytes, "\(line)")
    #expect(up.bytes <= line.bound(bytes), "\(up.bytes) sent of \(bytes.count), \(line)")
  }

  @Test(arguments: 1...60) func anInputComesDownWhole(seed: UInt64) {
    var line = Line(seed: seed)
    let bytes = line.body()
    var download = Download(BlobRef(), now: line.now)
    var (up, down) = (Wire<Fetch>(line), Wire<(Chunk, [UInt8])>(line))
    var (whole, steps) = ([UInt8](), 0)
    up.send(download.ask(line.now), 100, &line)
    while whole.isEmpty, steps < 5000 {
      steps += 1
      line.now = [up.arrival, down.arrival, download.retryAt].compactMap(\.self).min() ?? line.now
      if let fetch = up.receive(line.now) {
        for chunk in self.chunks(of: bytes, fetch) { down.send(chunk, chunk.1.count, &line) }
      } else if let (chunk, data) = down.receive(line.now) {
        switch download.take(chunk, data, now: line.now) {
        case .ask(let fetch): up.send(fetch, 100, &line)
        case .whole(let bytes): whole = bytes
        case .waiting: break
        case .missing(let failure): Issue.record(failure)
        }
      } else {
        up.send(download.again(now: line.now), 100, &line)
      }
    }
    #expect(whole == bytes, "\(line)")
    #expect(down.bytes <= line.bound(bytes), "\(down.bytes) sent of \(bytes.count), \(line)")
  }

  private func chunks(of bytes: [UInt8], _ fetch: Fetch) -> [(Chunk, [UInt8])] {
    let (start, end) = (Int(fetch.offset), min(bytes.count, Int(fetch.offset) + Int(fetch.window)))
    return stride(from: start, to: end, by: WireLimits.attachment).map { offset in
      let next = min(end, offset + WireLimits.attachment)
      let chunk = Chunk.with {
        $0.offset = UInt64(offset)
        $0.eof = next == bytes.count
      }
      return (chunk, Array(bytes[offset..<next]))
    }
  }
}

/// The properties of a link, from a seed, and its time.
private struct Line: CustomStringConvertible {
  private let seed: UInt64
  var random: SeededGenerator
  var now = ContinuousClock.now
  /// From a poor uplink to a cable.
  let bytesPerSecond: Int
  let latency: Duration
  /// The percentage of lost messages.
  let losses: Int
  /// The other side receives nothing until then.
  let standsStillUntil: ContinuousClock.Instant

  init(seed: UInt64) {
    self.seed = seed
    self.random = SeededGenerator(seed: seed)
    self.bytesPerSecond =
      Int.random(in: 25...100, using: &self.random) * (1000 << Int.random(in: 0...8, using: &self.random))
    self.latency = .milliseconds(Int.random(in: 0...400, using: &self.random))
    self.losses = [0, 0, 1, 4].randomElement(using: &self.random) ?? 0
    self.standsStillUntil = self.now + .seconds([0, 0, 2, 4, 8].randomElement(using: &self.random) ?? 0)
  }

  var description: String {
    "seed \(self.seed): \(self.bytesPerSecond) bytes a second, \(self.losses) % lost"
  }

  /// More than a frame, at most as much as a batch or a recording of a few minutes.
  mutating func body() -> [UInt8] {
    let count = Int.random(in: (WireLimits.body + 1)...(6 << 20), using: &self.random)
    var bytes = [UInt8](repeating: 0, count: count)
    for offset in stride(from: 0, to: count, by: 1000) {
      bytes[offset] = UInt8.random(in: 0...255, using: &self.random)
    }
    return bytes
  }

  /// The most bytes that may be sent for it: each timeout may repeat one window, and each loss costs one.
  func bound(_ bytes: [UInt8]) -> Int { 2 * bytes.count + (2 << 20) }
}

/// One direction of a link: in order, one message after the other.
private struct Wire<Message> {
  private let line: Line
  private var freeAt: ContinuousClock.Instant
  private var messages: [(arrival: ContinuousClock.Instant, message: Message)] = []
  /// The bytes sent, including lost ones.
  private(set) var bytes = 0

  init(_ line: Line) {
    self.line = line
    self.freeAt = line.now
  }

  var arrival: ContinuousClock.Instant? { self.messages.first?.arrival }

  mutating func send(_ message: Message, _ size: Int, _ line: inout Line) {
    self.bytes += size
    self.freeAt = max(self.freeAt, line.now) + .microseconds(size * 1_000_000 / line.bytesPerSecond)
    guard Int.random(in: 0..<100, using: &line.random) >= line.losses else { return }
    self.messages.append((max(self.freeAt + line.latency, line.standsStillUntil), message))
  }

  mutating func receive(_ now: ContinuousClock.Instant) -> Message? {
    guard let first = self.messages.first, first.arrival <= now else { return nil }
    return self.messages.removeFirst().message
  }
}
