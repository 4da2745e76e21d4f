import Foundation
import KithMessages
import SwiftProtobuf
import Testing

/// One row of `proto/vectors/messages.json`.
struct MessageVector: Decodable, Sendable, CustomTestStringConvertible {
  let message: String
  let `case`: String
  let pb: String
  let json: String

  var testDescription: String { "\(self.message) \(self.case)" }

  static let all: [MessageVector] = {
    guard let data = try? Data(contentsOf: projectRoot.appending(path: "proto/vectors/messages.json")) else {
      return []
    }
    return (try? JSONDecoder().decode([MessageVector].self, from: data)) ?? []
  }()
}

/// The top of the working tree.
let projectRoot = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent()

@Suite struct MessageVectorTests {
  @Test func vectorsAndTypesAreTheSameSet() {
    #expect(!MessageVector.all.isEmpty)
    #expect(Set(MessageVector.all.map(\.message)) == Set(messageTypes.keys))
  }

  @Test(arguments: MessageVector.all)
  func bothEncodingsAreReadAndWrittenBackEqual(vector: MessageVector) throws {
    let type = try #require(messageTypes[vector.message])
    try self.roundTrip(type, vector)
  }

  private func roundTrip<M: SwiftProtobuf.Message & Equatable>(_ type: M.Type, _ vector: MessageVector) throws {
    let binary = try #require(bytes(hex: vector.pb))
    let fromBinary = try M(serializedBytes: binary)
    let fromText = try M(jsonString: vector.json)
    #expect(fromBinary == fromText)
    #expect(try fromText.serializedBytes() as [UInt8] == binary)
    #expect(try fromBinary.jsonString() == vector.json)
  }

  @Test(arguments: MessageVector.all)
  func unknownFieldsDoNotHurt(vector: MessageVector) throws {
    let type = try #require(messageTypes[vector.message])
    try self.readWithUnknownField(type, vector)
  }

  private func readWithUnknownField<M: SwiftProtobuf.Message & Equatable>(_ type: M.Type, _ vector: MessageVector)
    throws
  {
    let known = try M(jsonString: vector.json)
    var options = JSONDecodingOptions()
    options.ignoreUnknownFields = true
    let separator = vector.json == "{}" ? "" : ","
    let text = vector.json.dropLast() + "\(separator)\"aFieldOfLater\":{\"x\":[1]}}"
    #expect(try M(jsonString: String(text), options: options) == known)

    // Field 5000 as a varint: what an older reader does not know it keeps, and writes again.
    let binary = try #require(bytes(hex: vector.pb)) + [0xC0, 0xB8, 0x02, 0x01]
    let message = try M(serializedBytes: binary)
    #expect(try message.jsonString() == vector.json)
    #expect(try message.serializedBytes() as [UInt8] == binary)
  }
}

func bytes(hex: String) -> [UInt8]? {
  guard hex.utf8.count.isMultiple(of: 2) else { return nil }
  let digits = hex.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue.map(UInt8.init) }
  guard digits.count == hex.utf8.count else { return nil }
  return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}
