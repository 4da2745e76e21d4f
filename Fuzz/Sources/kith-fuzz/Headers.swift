import Bus
import Foundation
import KithMessages
import SwiftProtobuf

/// Headers and commands in JSON: what is taken is the same message in protobuf, and is nested no deeper than allowed.
enum Headers: FuzzTarget {
  static var seeds: [[UInt8]] {
    [
      #"{"requestId":"r1","idempotencyKey":"k","deadline":"2026-01-02T03:04:05.6Z","attempt":2,"x":[{"y":[1,2e5,"\u00e9"]}]}"#,
      #"{"category":"MEDICATION","text":"a\nb","occurredAt":"2026-01-02T03:04:05+09:00","clientId":"c"}"#,
      #"{"workerName":"w","instanceId":"i","credit":4,"capabilities":[{"service":"s","labels":{"a":"b"}}],"held":[{}]}"#,
      #"{"requestId":"r","x":[[[[[[[[[[[[[[[{}]]]]]]]]]]]]]]]}"#,
      #"{"heads":[{"stream":"contacts","seq":"18446744073709551615"}],"hubInstance":"h","intervalMs":4294967295}"#,
    ].map { Array($0.utf8) }
  }

  static func read(_ input: [UInt8]) {
    self.check(RequestHeader.self, input)
    self.check(ReplyHeader.self, input)
    self.check(RecordCareRequest.self, input)
    self.check(Ready.self, input)
    self.check(Head.self, input)
  }

  private static func check<M: SwiftProtobuf.Message & Equatable>(_ type: M.Type, _ input: [UInt8]) {
    guard let message = try? Encoding.json.decode(type, from: input) else { return }
    guard let bytes = try? Encoding.pb.encode(message), let again = try? Encoding.pb.decode(type, from: bytes) else {
      fail("\(M.protoMessageName) was taken in JSON and cannot be written as protobuf")
    }
    require(again == message, "\(M.protoMessageName) reads as another in protobuf")
    if let json = try? JSONSerialization.jsonObject(with: Data(input), options: .fragmentsAllowed) {
      require(self.depth(of: json) <= self.deepest, "\(M.protoMessageName) is nested deeper than allowed")
    }
  }

  /// Levels of objects and arrays: docs/protocol.md.
  private static let deepest = 16

  private static func depth(of json: Any) -> Int {
    switch json {
    case let object as [String: Any]: 1 + (object.values.map(self.depth).max() ?? 0)
    case let array as [Any]: 1 + (array.map(self.depth).max() ?? 0)
    default: 0
    }
  }
}
