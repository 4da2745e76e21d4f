import Bus
import Digest
import Foundation
import GRDB
import KithMessages
import SwiftProtobuf
import Testing

@testable import Storage

@Suite(.timeLimit(.minutes(5))) struct BlobTests {
  private let bytes = (0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 9) }
  private var digest: String { Hex.encode(SHA256.digest(self.bytes)) }

  @Test func `an upload goes on after a restart and is read back in pieces`() async throws {
    let temporary = TemporaryStore()
    var storage = try temporary.open()
    #expect(try await self.open(storage).nextOffset == 0)
    let half = 256 << 10
    #expect(try await self.put(storage, at: 0, Array(self.bytes[..<half])).nextOffset == UInt64(half))
    await storage.close()

    storage = try temporary.open()
    let resumed = try await self.open(storage)
    #expect(resumed.nextOffset == UInt64(half))
    #expect(!resumed.complete)
    // A resent piece changes nothing.
    #expect(try await self.put(storage, at: 0, [1, 2, 3]).nextOffset == UInt64(half))
    #expect(try await self.put(storage, at: half, Array(self.bytes[half...])).nextOffset == UInt64(self.bytes.count))
    #expect(try await self.put(storage, at: self.bytes.count, []).complete)
    #expect(try await self.put(storage, at: self.bytes.count, []).complete)
    #expect(try await self.open(storage).complete)
    #expect(try await self.read(storage) == self.bytes)
    await storage.close()

    storage = try temporary.open()
    #expect(try await self.read(storage) == self.bytes)
    await storage.close()
  }

  @Test func `a gap names the next offset`() async throws {
    let temporary = TemporaryStore()
    let storage = try temporary.open()
    _ = try await self.open(storage)
    _ = try await self.put(storage, at: 0, [1, 2, 3])
    for (offset, piece) in [(5, [9]), (2, [])] as [(Int, [UInt8])] {
      let failure = await #expect(throws: Failure.self) { try await self.put(storage, at: offset, piece) }
      #expect(failure?.reason == "OFFSET_GAP")
      #expect(failure?.status.details["next_offset"] == "3")
    }
    await storage.close()
  }

  @Test func `bytes that are not what the digest names are dropped`() async throws {
    let temporary = TemporaryStore()
    let storage = try temporary.open()
    _ = try await self.open(storage, size: 3)
    _ = try await self.put(storage, at: 0, [1, 2, 3])
    let failure = await #expect(throws: Failure.self) { try await self.put(storage, at: 3, []) }
    #expect(failure?.code == .dataLoss)
    #expect(failure?.reason == "DIGEST_MISMATCH")
    let missing = await #expect(throws: Failure.self) { try await self.read(storage) }
    #expect(missing?.code == .notFound)
    #expect(try await self.open(storage, size: 3).nextOffset == 0)
    await storage.close()
  }

  @Test(arguments: [
    "", "abc", "../../../../etc/passwd", String(repeating: "g", count: 64), String(repeating: "/", count: 64),
    String(repeating: "AB", count: 32),
  ])
  func `only a digest names a blob`(name: String) async throws {
    let temporary = TemporaryStore()
    let storage = try temporary.open()
    let open = BlobOpenRequest.with { $0.blob.sha256 = name }
    let put = BlobPutRequest.with { $0.sha256 = name }
    let get = BlobGetRequest.with { $0.sha256 = name }
    let atOpen = await #expect(throws: Failure.self) { _ = try await storage.openBlob(open, principal: "p") }
    let atPut = await #expect(throws: Failure.self) { _ = try await storage.putBlob(put, [1], principal: "p") }
    let atGet = await #expect(throws: Failure.self) { _ = try await storage.readBlob(get, by: .viewer) }
    for failure in [atOpen, atPut, atGet] { #expect(failure?.status.details["sha256"] != nil) }
    await storage.close()
  }

  @Test func `files are bounded together, whoever brought them`() async throws {
    var limits = StorageLimits()
    limits.blobs.total = 1_000_000
    let temporary = TemporaryStore()
    let storage = try temporary.open(limits: limits)
    _ = try await self.open(storage)
    _ = try await self.put(storage, at: 0, self.bytes)
    #expect(try await self.put(storage, at: self.bytes.count, []).complete)
    let other = Hex.encode(SHA256.digest([7]))
    let failure = await #expect(throws: Failure.self) {
      try await self.open(storage, other, principal: "uid:2", size: 300_001)
    }
    #expect(failure?.reason == "BLOB_QUOTA")
    _ = try await self.open(storage, other, principal: "uid:2", size: 300_000)
    // A blob that is stored already needs no more room.
    #expect(try await self.open(storage).complete)
    try await storage.upkeep(now: WallClock.nanoseconds() + Duration.seconds(25 * 3600).nanoseconds)
    _ = try await self.open(storage, other, principal: "uid:2", size: 300_001)
    await storage.close()
  }

  @Test func `the size of an upload counts from its beginning`() async throws {
    var limits = StorageLimits()
    limits.blobs.total = 1_000_000
    let temporary = TemporaryStore()
    let storage = try temporary.open(limits: limits)
    _ = try await self.open(storage, size: 600_000)
    let other = Hex.encode(SHA256.digest([7]))
    let failure = await #expect(throws: Failure.self) {
      try await self.open(storage, other, principal: "uid:2", size: 400_001)
    }
    #expect(failure?.reason == "BLOB_QUOTA")
    _ = try await self.open(storage, other, principal: "uid:2", size: 400_000)
    await storage.close()
  }

  @Test func `uploads are bounded in number and size, and expire`() async throws {
    let temporary = TemporaryStore()
    let storage = try temporary.open()
    let digests = (0..<5).map { Hex.encode(SHA256.digest([UInt8($0)])) }
    for digest in digests.prefix(4) { _ = try await self.open(storage, digest) }
    _ = try await self.open(storage, digests[0])
    let failure = await #expect(throws: Failure.self) { try await self.open(storage, digests[4]) }
    #expect(failure?.reason == "BLOB_QUOTA")
    _ = try await self.open(storage, digests[4], principal: "uid:2")
    let tooLarge = await #expect(throws: Failure.self) { try await self.open(storage, digests[4], size: 513 << 20) }
    #expect(tooLarge?.status.details["size"] != nil)
    try await storage.upkeep(now: WallClock.nanoseconds() + Duration.seconds(25 * 3600).nanoseconds)
    _ = try await self.open(storage, digests[4])
    await storage.close()
  }

  @Test func `an upload has the size that it was opened with`() async throws {
    let temporary = TemporaryStore()
    let storage = try temporary.open()
    _ = try await self.open(storage, size: 5)
    for size in [4, 6] as [UInt64] {
      let other = await #expect(throws: Failure.self) { try await self.open(storage, size: size) }
      #expect(other?.status.details["size"] != nil)
    }
    let beyond = await #expect(throws: Failure.self) { try await self.put(storage, at: 0, [1, 2, 3, 4, 5, 6]) }
    #expect(beyond?.status.details["offset"] != nil)
    #expect(try await self.put(storage, at: 0, [1, 2, 3]).nextOffset == 3)
    let early = await #expect(throws: Failure.self) { try await self.put(storage, at: 3, []) }
    #expect(early?.reason == "OFFSET_GAP" && early?.status.details["next_offset"] == "3")
    #expect(try await self.open(storage, size: 5).nextOffset == 3)
    _ = try await storage.abandonBlob(.with { $0.sha256 = self.digest }, principal: "uid:1")
    #expect(try await self.open(storage, size: 6).nextOffset == 0)
    await storage.close()
  }

  @Test func `a backup is read by admins alone, one of an earlier version too`() async throws {
    let temporary = TemporaryStore()
    var storage = try temporary.open(migrations: Array(Migration.all.prefix { $0.name != "blob_readers" }))
    let blob = BlobRef.with { $0.sha256 = String(repeating: "ab", count: 32) }
    try await storage.write { transaction throws(Failure) in
      try transaction.attempt {
        try $0.execute(
          sql: """
            INSERT INTO blob_file (sha256, size, media_type, created_at) VALUES (?, 1, 'application/vnd.sqlite3', ?)
            """,
          arguments: [Data(repeating: 0xAB, count: 32), WallClock.nanoseconds()])
      }
    }
    await storage.close()

    storage = try temporary.open(migrations: Migration.all)
    let backup = try await storage.backup()
    for name in [blob.sha256, backup.sha256] {
      let get = BlobGetRequest.with { $0.sha256 = name }
      for role in [Role.viewer, .recorder, .worker] {
        let refused = await #expect(throws: Failure.self) { _ = try await storage.readBlob(get, by: role) }
        #expect(refused?.reason == "ROLE_NOT_ALLOWED")
      }
    }
    let get = BlobGetRequest.with { $0.sha256 = backup.sha256 }
    #expect(try await storage.readBlob(get, by: .admin).0.size == backup.size)
    // Asking whether it is stored does not make it readable.
    #expect(try await self.open(storage, backup.sha256, size: backup.size).complete)
    let after = await #expect(throws: Failure.self) { _ = try await storage.readBlob(get, by: .recorder) }
    #expect(after?.reason == "ROLE_NOT_ALLOWED")
    await storage.close()
  }

  @Test func `an upload that was given up, or rests, leaves its place to another`() async throws {
    let temporary = TemporaryStore()
    let storage = try temporary.open()
    let digests = (0..<6).map { Hex.encode(SHA256.digest([UInt8($0)])) }
    for digest in digests.prefix(4) { _ = try await self.open(storage, digest) }
    let abandon = BlobAbandonRequest.with { $0.sha256 = digests[1] }
    #expect(try await storage.abandonBlob(abandon, principal: "uid:2").abandoned == false)
    #expect(try await storage.abandonBlob(abandon, principal: "uid:1").abandoned)
    #expect(try await storage.abandonBlob(abandon, principal: "uid:1").abandoned == false)
    _ = try await self.open(storage, digests[4])
    let full = await #expect(throws: Failure.self) { try await self.open(storage, digests[5]) }
    #expect(full?.reason == "BLOB_QUOTA")
    let request = BlobOpenRequest.with {
      $0.blob.sha256 = digests[5]
      $0.blob.size = 1
    }
    let later = WallClock.nanoseconds() + Duration.seconds(601).nanoseconds
    _ = try await storage.openBlob(request, principal: "uid:1", now: { later })
    let parts = try FileManager.default.contentsOfDirectory(atPath: temporary.directory + "/blobs/parts")
    #expect(parts.count == 4 && parts.contains { $0.hasPrefix(digests[5]) })
    // An upload written while the clock was hours ahead counts as paused, beside three in progress.
    let rested = try #require(parts.first)
    for part in parts {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: part == rested ? 9 * 3600 : 0)],
        ofItemAtPath: temporary.directory + "/blobs/parts/" + part)
    }
    _ = try await self.open(storage, digests[1])
    let others = try FileManager.default.contentsOfDirectory(atPath: temporary.directory + "/blobs/parts")
    #expect(others.count == 4 && !others.contains(rested))
    await storage.close()
  }

  /// Pieces queued before the clock was read, and a clock that was set back, leave times slightly in the future.
  @Test(arguments: [0.005, 1, 590]) func `an upload that was written after now does not rest`(
    ahead: Double
  ) async throws {
    let temporary = TemporaryStore()
    let storage = try temporary.open()
    let digests = (0..<5).map { Hex.encode(SHA256.digest([UInt8($0)])) }
    for digest in digests.prefix(4) { _ = try await self.open(storage, digest) }
    let directory = temporary.directory + "/blobs/parts/"
    let parts = try FileManager.default.contentsOfDirectory(atPath: directory)
    let now = WallClock.nanoseconds()
    let written = Date(timeIntervalSince1970: Double(now) / 1e9 + ahead)
    for part in parts {
      try FileManager.default.setAttributes([.modificationDate: written], ofItemAtPath: directory + part)
    }
    let request = BlobOpenRequest.with {
      $0.blob.sha256 = digests[4]
      $0.blob.size = 1
    }
    let failure = await #expect(throws: Failure.self) {
      _ = try await storage.openBlob(request, principal: "uid:1", now: { now })
    }
    #expect(failure?.reason == "BLOB_QUOTA")
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory).sorted() == parts.sorted())
    await storage.close()
  }

  @Test func `a put without an open upload is refused, also to another principal`() async throws {
    let temporary = TemporaryStore()
    let storage = try temporary.open()
    _ = try await self.open(storage)
    let request = BlobPutRequest.with { $0.sha256 = self.digest }
    let failure = await #expect(throws: Failure.self) {
      _ = try await storage.putBlob(request, [1], principal: "stranger")
    }
    #expect(failure?.reason == "BLOB_MISSING")
    await storage.close()
  }

  @Test func `a staged file is kept for a day`() async throws {
    let temporary = TemporaryStore()
    let storage = try temporary.open()
    let pieces = PieceSource([Array(self.bytes[..<300_000]), Array(self.bytes[300_000...])])
    let ref = try await storage.stage(mediaType: "text/vcard") { () async throws(Failure) in await pieces.next() }
    #expect(ref.sha256 == self.digest)
    #expect(ref.size == UInt64(self.bytes.count))
    #expect(ref.mediaType == "text/vcard")
    #expect(try await self.read(storage) == self.bytes)
    try await storage.upkeep(now: WallClock.nanoseconds() + Duration.seconds(25 * 3600).nanoseconds)
    let failure = await #expect(throws: Failure.self) { try await self.read(storage) }
    #expect(failure?.code == .notFound)
    await storage.close()
  }

  @Test func `a staged file that fails leaves nothing`() async throws {
    let temporary = TemporaryStore()
    let storage = try temporary.open()
    let pieces = PieceSource([[1]])
    let next = { @Sendable () async throws(Failure) -> [UInt8]? in
      guard let piece = await pieces.next() else { throw .cancelled }
      return piece
    }
    await #expect(throws: Failure.cancelled) { _ = try await storage.stage(mediaType: "x/y", next) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.directory + "/blobs/parts").isEmpty)
    await storage.close()
  }

  @Test func `bytes of a record are read in pieces from the database`() async throws {
    let temporary = TemporaryStore()
    let storage = try temporary.open()
    let (bytes, digest) = (self.bytes, SHA256.digest(self.bytes))
    try await storage.write { transaction throws(Failure) in
      try transaction.attempt {
        try $0.execute(
          sql: "INSERT INTO blob VALUES (?, ?, 'image/jpeg', ?)",
          arguments: [Data(digest), bytes.count, Data(bytes)])
      }
    }
    #expect(try await self.read(storage) == self.bytes)
    #expect(try await self.open(storage).complete)
    var request = BlobGetRequest.with { $0.sha256 = self.digest }
    request.offset = UInt64(self.bytes.count)
    #expect(try await storage.readBlob(request, by: .viewer).1.isEmpty)
    request.offset = UInt64.max
    let beyond = request
    let failure = await #expect(throws: Failure.self) { _ = try await storage.readBlob(beyond, by: .viewer) }
    #expect(failure?.reason == "OFFSET_GAP")
    await storage.close()
  }

  // MARK: -

  @discardableResult
  func open(
    _ storage: StorageActor, _ digest: String? = nil, principal: String = "uid:1", size: UInt64? = nil
  ) async throws(Failure) -> BlobOpenReply {
    var request = BlobOpenRequest()
    request.blob.sha256 = digest ?? self.digest
    request.blob.size = size ?? UInt64(self.bytes.count)
    return try await storage.openBlob(request, principal: principal)
  }

  private func put(_ storage: StorageActor, at offset: Int, _ piece: [UInt8]) async throws(Failure) -> BlobPutReply {
    var request = BlobPutRequest()
    request.sha256 = self.digest
    request.offset = UInt64(offset)
    return try await storage.putBlob(request, piece, principal: "uid:1")
  }

  private func read(_ storage: StorageActor) async throws(Failure) -> [UInt8] {
    try await storage.readWhole(self.digest)
  }
}

extension StorageActor {
  nonisolated func readWhole(_ digest: String, by role: Role = .viewer) async throws(Failure) -> [UInt8] {
    var request = BlobGetRequest()
    request.sha256 = digest
    var all: [UInt8] = []
    while true {
      let (reply, piece) = try await self.readBlob(request, by: role)
      #expect(piece.count <= 256 << 10)
      all += piece
      request.offset += UInt64(piece.count)
      if request.offset >= reply.size || piece.isEmpty { return all }
    }
  }
}

actor PieceSource {
  private var pieces: [[UInt8]]
  init(_ pieces: [[UInt8]]) { self.pieces = pieces }
  func next() -> [UInt8]? { self.pieces.isEmpty ? nil : self.pieces.removeFirst() }
}
