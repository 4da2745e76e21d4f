import Bus
import Foundation
import KithMessages
import SwiftProtobuf
import Testing

@testable import Storage

extension BlobTests {
  /// Makes an export of so many bytes.
  private func export(_ size: Int, of byte: UInt8, in storage: StorageActor) async throws -> BlobRef {
    let pieces = Pieces([UInt8](repeating: byte, count: size))
    return try await storage.stage(mediaType: "text/csv") { () async throws(Failure) in await pieces.next() }
  }

  private func exists(_ blob: BlobRef, in storage: StorageActor) async -> Bool {
    (try? await storage.readBlob(.with { $0.sha256 = blob.sha256 }, by: .viewer)) != nil
  }

  @Test(arguments: [true, false])
  func `exports are bounded by what is older of them, and give way to uploads but not to backups`(inBytes: Bool)
    async throws
  {
    var limits = StorageLimits()
    if inBytes { limits.blobs.total = 1_000_000 } else { limits.blobs.files = 3 }
    let temporary = TemporaryStore()
    let storage = try temporary.open(limits: limits)
    var exports: [BlobRef] = []
    for byte in 1...5 as ClosedRange<UInt8> { exports.append(try await self.export(300_000, of: byte, in: storage)) }
    for (number, export) in exports.enumerated() {
      #expect(await self.exists(export, in: storage) == (number >= 2), "export \(number)")
    }
    guard inBytes else { return await storage.close() }
    _ = try await self.open(storage, size: 400_001)
    #expect(await self.exists(exports[3], in: storage) == false)
    #expect(await self.exists(exports[4], in: storage))
    let failure = await #expect(throws: Failure.self) { try await self.export(600_000, of: 9, in: storage) }
    #expect(failure?.reason == "BLOB_QUOTA")
    let parts = try FileManager.default.contentsOfDirectory(atPath: temporary.directory + "/blobs/parts")
    #expect(parts.count == 1, "the upload alone is under way")
    await storage.close()
  }
}

/// Bytes in pieces of a hundred thousand.
private actor Pieces {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { self.rest = bytes[...] }

  func next() -> [UInt8]? {
    guard !self.rest.isEmpty else { return nil }
    defer { self.rest = self.rest.dropFirst(100_000) }
    return Array(self.rest.prefix(100_000))
  }
}
