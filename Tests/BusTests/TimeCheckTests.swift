import KithMessages
import SwiftProtobuf
import Testing

@testable import Bus

/// Times out of range are refused when a message is decoded, and the error names the field.
struct TimeCheckTests {
  private static func entry(nanos: Int32, seconds: Int64 = 1_700_000_000) -> CareRecord {
    var record = CareRecord()
    record.id = "01a2"
    record.occurredAt = .init(seconds: seconds, nanos: nanos)
    return record
  }

  private static func refusal<M: SwiftProtobuf.Message & Equatable>(of message: M) throws -> Failure? {
    let bytes: [UInt8] = try message.serializedBytes()
    do throws(Failure) {
      let decoded = try Encoding.pb.decode(M.self, from: bytes)
      #expect(decoded == message)
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [-1, 1_000_000_000, .max, .min] as [Int32])
  func nanosecondsThatASecondDoesNotHaveAreRefused(nanos: Int32) throws {
    var record = RecordCareRequest()
    record.occurredAt = Self.entry(nanos: nanos).occurredAt
    var update = UpdateCareRequest()
    update.record = Self.entry(nanos: nanos)
    var stamp = UpdateCareRequest()
    stamp.ifUpdatedAt = record.occurredAt
    var voice = StartVoiceRequest()
    voice.occurredAt = record.occurredAt
    var approve = KeyApproveRequest()
    approve.validFor = .init(seconds: 1, nanos: nanos)
    let refusals = [
      try Self.refusal(of: record), try Self.refusal(of: update), try Self.refusal(of: stamp),
      try Self.refusal(of: voice), try Self.refusal(of: approve),
    ]
    #expect(refusals.allSatisfy { $0?.code == .invalidArgument && $0?.reason == "FIELD_INVALID" })
    #expect(
      refusals.map { $0?.status.details.keys.first } == [
        "occurred_at", "record.occurred_at", "if_updated_at", "occurred_at", "valid_for",
      ])
  }

  @Test func boundsAreThoseOfTheTypes() throws {
    let bounds: [(Int64, Int32, Bool)] = [
      (-62_135_596_800, 0, true), (-62_135_596_801, 0, false), (253_402_300_799, 999_999_999, true),
      (253_402_300_800, 0, false), (0, 0, true),
    ]
    for (seconds, nanos, isGood) in bounds {
      #expect((try Self.refusal(of: Self.entry(nanos: nanos, seconds: seconds)) == nil) == isGood, "\(seconds)")
    }
    let durations: [(Int64, Int32, Bool)] = [
      (-1, -1, true), (1, -1, false), (-1, 1, false), (0, -999_999_999, true), (315_576_000_000, 0, true),
      (315_576_000_001, 0, false),
    ]
    for (seconds, nanos, isGood) in durations {
      var rotate = KeyRotateServerRequest()
      rotate.overlap = .init(seconds: seconds, nanos: nanos)
      #expect((try Self.refusal(of: rotate) == nil) == isGood, "\(seconds) \(nanos)")
    }
  }

  @Test func whatCannotBeWrittenNamesTheRecord() {
    var list = ListCareReply()
    list.records = [Self.entry(nanos: 1), Self.entry(nanos: -1)]
    list.records[0].id = "of good times"
    let failure = #expect(throws: Failure.self) { try Encoding.json.encode(list) }
    #expect(failure?.code == .internal && failure?.status.details["field"] == "records[01a2].occurred_at")
    var record = Self.entry(nanos: 1)
    record.versions = [CareVersion(), CareVersion()]
    record.versions[1].replacedAt = .init(seconds: 0, nanos: -1)
    #expect(TimeCheck.badField(of: record) == "versions[1].replaced_at")
    #expect(TimeCheck.badField(of: list.records[0]) == nil)
  }
}
