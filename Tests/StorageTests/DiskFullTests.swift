import Bus
import Foundation
import GRDB
import KithMessages
import Logging
import SwiftProtobuf
import Testing

@testable import Storage

@Suite(.timeLimit(.minutes(5))) struct DiskFullTests {
  @Test func `a full disk is told, leaves nothing half-written, and is over when there is room`() async throws {
    let mount = NSTemporaryDirectory() + "kith-full-" + UUIDv7.make().text
    try FileManager.default.createDirectory(atPath: mount, withIntermediateDirectories: true)
    defer {
      _ = Self.run("/bin/umount", mount)
      try? FileManager.default.removeItem(atPath: mount)
    }
    guard Self.run("/bin/mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", mount) else {
      print("disk-full test skipped: mounting a tmpfs takes root")
      return
    }
    let storage = try StorageActor(
      directory: mount + "/state", logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
      limits: StorageLimits(), migrations: Migration.all + [.sample]
    ) { _ in }
    _ = try await storage.insert("first")
    let ballast = mount + "/ballast"
    try Data().write(to: URL(fileURLWithPath: ballast))
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: ballast))
    while (try? file.write(contentsOf: Data(repeating: 1, count: 4096))) != nil {}
    try file.close()

    var failure: Failure?
    var stored: Set = ["first"]
    for index in 0..<2000 where failure == nil {
      do throws(Failure) {
        _ = try await storage.insert("k\(index)")
        stored.insert("k\(index)")
      } catch {
        failure = error
      }
    }
    #expect(failure?.reason == "DISK_FULL")
    #expect(try await storage.records() == stored)
    #expect(storage.head(.contacts) == UInt64(stored.count))
    let open = BlobOpenRequest.with {
      $0.blob.sha256 = String(repeating: "a", count: 64)
      $0.blob.size = 1 << 20
    }
    let put = BlobPutRequest.with { $0.sha256 = open.blob.sha256 }
    _ = try? await storage.openBlob(open, principal: "p")
    let piece = [UInt8](repeating: 7, count: 1 << 20)
    let blobFailure = await #expect(throws: Failure.self) {
      _ = try await storage.putBlob(put, piece, principal: "p")
    }
    #expect(blobFailure?.reason == "DISK_FULL")

    try FileManager.default.removeItem(atPath: ballast)
    #expect(try await storage.insert("after").isReplayed == false)
    #expect(try await storage.openBlob(open, principal: "p").nextOffset == 0)
    stored.insert("after")
    #expect(try await storage.records() == stored)
    #expect(storage.head(.contacts) == UInt64(stored.count))
    await storage.close()
  }

  private static func run(_ program: String, _ arguments: String...) -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.standardError = FileHandle.nullDevice
    do {
      try process.run()
      process.waitUntilExit()
      return process.terminationStatus == 0
    } catch {
      return false
    }
  }
}
