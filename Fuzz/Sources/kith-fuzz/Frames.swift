import Bus
import BusZeroMQ
import KithMessages

/// Messages of the three planes: what is taken is written again as the same message.
enum Frames: FuzzTarget {
  static var seeds: [[UInt8]] {
    var seeds: [[UInt8]] = []
    for encoding in [Encoding.pb, .json] {
      var request = RequestHeader()
      request.requestID = "r1"
      request.idempotencyKey = "k1"
      request.attempt = 2
      let command = RequestFrame(
        service: "kith.v1.System/Ping", encoding: encoding, header: request, body: Array("{}".utf8),
        attachments: [[1, 2]])
      var reply = ReplyHeader()
      reply.requestID = "r1"
      let answer = ReplyFrame.final(
        failure: Failure(.unavailable, "SHUTTING_DOWN", "It ends."), to: "r1", service: "kith.v1.System/Ping",
        encoding: encoding)
      var event = LoggedEvent()
      event.header.stream = "contacts"
      event.header.seq = 7
      event.event.system.kind = "agent.started"
      var ready = Ready()
      ready.credit = 2
      var chunk = Chunk()
      chunk.offset = 10
      seeds += [
        (try? command.encoded(), 0), (try? answer.encoded(), 1), (try? EventFrame.event(event).encoded(encoding), 2),
      ]
      .compactMap { frames, kind in frames.map { self.packed($0, UInt8(kind)) } }
      for message in [WorkMessage.ready(ready), .chunk(chunk, [1, 2, 3]), .drain(Drain())] {
        if let frames = try? WorkFrame(message, service: "kith.v1.Work/Test", encoding: encoding).encoded() {
          seeds.append(self.packed(frames, 3))
        }
      }
    }
    return seeds
  }

  static func read(_ input: [UInt8]) {
    guard let kind = input.first else { return }
    let frames = self.unpacked(input.dropFirst())
    switch kind % 4 {
    case 0: self.check(RequestFrame.decode(frames), RequestFrame.decode) { try $0.encoded() }
    case 1: self.check(ReplyFrame.decode(frames), ReplyFrame.decode) { try $0.encoded() }
    case 2: self.check(EventFrame.decode(frames), EventFrame.decode) { try $0.encoded(.pb) }
    default: self.check(WorkFrame.decode(frames), WorkFrame.decode) { try $0.encoded() }
    }
  }

  private static func check<Frame: Equatable>(
    _ outcome: FrameOutcome<Frame>, _ decode: ([[UInt8]]) -> FrameOutcome<Frame>,
    _ encode: (Frame) throws -> [[UInt8]]
  ) {
    // What protobuf holds and JSON does not, such as a time after the year 9999, may be refused on the way out.
    guard case .accepted(let frame) = outcome, let encoded = try? encode(frame) else { return }
    guard case .accepted(let again) = decode(encoded) else { fail("a written frame is refused") }
    require(again == frame, "a written frame reads as another")
  }

  /// A kind, then each frame with its length before it, in two bytes.
  private static func packed(_ frames: [[UInt8]], _ kind: UInt8) -> [UInt8] {
    [kind] + frames.flatMap { [UInt8(truncatingIfNeeded: $0.count >> 8), UInt8(truncatingIfNeeded: $0.count)] + $0 }
  }

  private static func unpacked(_ bytes: ArraySlice<UInt8>) -> [[UInt8]] {
    var (frames, rest): ([[UInt8]], ArraySlice<UInt8>) = ([], bytes)
    while rest.count >= 2, frames.count < 20 {
      let count = Int(rest.removeFirst()) << 8 | Int(rest.removeFirst())
      frames.append(Array(rest.prefix(count)))
      rest = rest.dropFirst(count)
    }
    return frames
  }
}
