import Bus
import Digest
import Foundation
import Testing

@testable import BusZeroMQ

/// One row of `proto/vectors/frames.json`: a whole multipart message.
struct FrameVector: Decodable, Sendable, CustomTestStringConvertible {
  let name: String
  let plane: String
  let encoding: String
  let frames: [String]

  var testDescription: String { "\(self.name) \(self.encoding)" }

  var bytes: [[UInt8]] { self.frames.map { Hex.decode($0) ?? [] } }

  static let all: [FrameVector] = {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    guard let data = try? Data(contentsOf: root.appending(path: "proto/vectors/frames.json")) else { return [] }
    return (try? JSONDecoder().decode([FrameVector].self, from: data)) ?? []
  }()
}

@Suite("Golden vectors of whole messages")
struct FrameVectorTests {
  @Test("Every plane and encoding has vectors")
  func isThere() {
    let kinds = Set(FrameVector.all.map { "\($0.plane) \($0.encoding)" })
    #expect(kinds == ["control pb", "control json", "events pb", "events json", "work pb", "work json"])
  }

  @Test("A message is read and written back byte for byte", arguments: FrameVector.all)
  func writtenBackEqual(vector: FrameVector) throws {
    let frames = vector.bytes
    if vector.plane == "events" {
      guard case .accepted(let event) = EventFrame.decode(frames) else {
        Issue.record("not accepted")
        return
      }
      #expect(try event.encoded(vector.encoding == "pb" ? .pb : .json) == frames)
    } else if vector.plane == "work" {
      guard case .accepted(let message) = WorkFrame.decode(frames) else {
        Issue.record("not accepted")
        return
      }
      #expect(try message.encoded() == frames)
    } else if frames[1] == [ControlKind.request.rawValue] {
      guard case .accepted(let request) = RequestFrame.decode(frames) else {
        Issue.record("not accepted")
        return
      }
      #expect(try request.encoded() == frames)
    } else {
      guard case .accepted(let reply) = ReplyFrame.decode(frames) else {
        Issue.record("not accepted")
        return
      }
      #expect(try reply.encoded() == frames)
    }
  }
}
