import Bus
import Foundation
import KithMessages
import TestKit
import Testing

@testable import Storage

@Suite struct SoundFilesTests {
  @Test("a recording that is whole takes no more and is not replaced")
  func whole() async throws {
    let directory = try TemporaryDirectory()
    let sounds = try SoundFiles(stateDirectory: directory.path)
    #expect(try await sounds.append([1, 2], to: "a", at: 0, limit: 10) == 2)
    #expect(try await sounds.append([3], to: "a", at: 2, limit: 10) == 3)
    #expect(try await sounds.finish("a") == 3)
    // A client that lost the reply resends the first piece.
    let late = await #expect(throws: Failure.self) { try await sounds.append([1, 2], to: "a", at: 0, limit: 10) }
    #expect(late?.reason == "NOT_RECORDING")
    #expect(try await sounds.finish("a") == 3)
    #expect(try await sounds.read("a") == [1, 2, 3])
  }

  @Test("of sound that clients fetch, so much is held open and no more")
  func lent() async throws {
    let directory = try TemporaryDirectory()
    let sounds = try SoundFiles(stateDirectory: directory.path)
    func openFiles() throws -> Int {
      let own = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
      return own.count { number in
        let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + number)
        return path?.hasPrefix(directory.path) ?? false
      }
    }
    var refs: [BlobRef] = []
    for number in UInt8(0)..<40 {
      _ = try await sounds.append([number], to: "s\(number)", at: 0, limit: 10)
      _ = try await sounds.finish("s\(number)")
      // The first one is read all the time.
      let ref = try await sounds.lend("s\(number)", at: Int64(number))
      refs.append(try #require(ref))
      let piece = try await sounds.piece(of: BlobDigest(refs[0].sha256), from: 0, length: 9, at: Int64(number))
      #expect(piece?.bytes == [0])
    }
    #expect(try openFiles() == SoundFiles.mostLent)
    #expect(try await sounds.piece(of: BlobDigest(refs[1].sha256), from: 0, length: 9, at: 40) == nil)
    #expect(try await sounds.piece(of: BlobDigest(refs[39].sha256), from: 0, length: 9, at: 40)?.bytes == [39])
    // Lent again, it is held once.
    #expect(try await sounds.lend("s39", at: 41) == refs[39])
    #expect(try openFiles() == SoundFiles.mostLent)
  }
}
