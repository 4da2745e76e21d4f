import Bus
import Digest
import KithMessages
import Storage
import SwiftProtobuf
import TestKit
import Testing

@testable import MonicaGateway

@Suite(.timeLimit(.minutes(2))) struct CallAttachmentTests {
  private func expect(_ reason: String, _ work: () async throws -> Void, _ line: Int = #line) async {
    let failure = await refusal(work)
    #expect(failure?.reason == reason, "line \(line)")
  }

  @Test("attachments become part of the store")
  func attachments() async throws {
    let home = try Household()
    let ann = try await home.person("Ann")
    let bytes = [UInt8](repeating: 7, count: 300_000)
    let digest = Hex.encode(SHA256.digest(bytes))
    let ref = BlobRef.with {
      $0.sha256 = digest
      $0.size = 300_000
      $0.mediaType = "audio/wav"
    }
    let log = LogCallRequest.with {
      $0.record.personID = ann.id
      $0.record.attachments = [ref, ref]
    }
    await self.expect("FIELD_INVALID") { _ = try await home.ask(log) }
    _ = try await home.storage.openBlob(.with { $0.blob = ref }, principal: "uid:1")
    for offset in stride(from: 0, to: bytes.count, by: 262_144) {
      let piece = Array(bytes[offset..<min(offset + 262_144, bytes.count)])
      _ = try await home.storage.putBlob(
        .with {
          $0.sha256 = digest
          $0.offset = UInt64(offset)
        }, piece, principal: "uid:1")
    }
    _ = try await home.storage.putBlob(
      .with {
        $0.sha256 = digest
        $0.offset = 300_000
      }, [], principal: "uid:1")
    let call = try await home.ask(log)
    #expect(call.attachments == [ref])
    try await home.storage.read { view throws(Failure) in
      #expect(try view.photos.get(digest)?.data.count == 300_000)
    }
    let changed = try await home.ask(
      UpdateCallRequest.with {
        $0.record.id = call.id
        $0.record.attachments = [ref]
        $0.record.note = "with a recording"
      })
    #expect(changed.attachments == [ref])
    let bare = try await home.call(ann, ago: 2)
    for _ in 0..<2 {
      let request = AttachToCallRequest.with {
        $0.id = bare.id
        $0.attachments = [ref]
      }
      #expect(try await home.ask(request).attachments == [ref])
    }
    await self.expect("FIELD_INVALID") { _ = try await home.ask(AttachToCallRequest.with { $0.id = bare.id }) }
    // Another client removes it between the check of the call's attachments and the change.
    let known = try await CallAttachments([ref], knownIn: call.id, storage: home.storage)
    let emptied = try await home.ask(
      UpdateCallRequest.with {
        $0.record.id = call.id
        $0.fields = ["attachments"]
      })
    #expect(emptied.attachments.isEmpty)
    _ = try await home.ask(
      UpdateCallRequest.with {
        $0.record.id = bare.id
        $0.fields = ["attachments"]
      })
    await self.expect("FIELD_INVALID") {
      try await home.storage.write { transaction throws(Failure) in
        try transaction.photos.dropUnreferenced()
        _ = try known.keep(in: transaction)
      }
    }
  }
}
