import Bus
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
    // The first piece comes once more, from a client that did not see the answer.
    let late = await #expect(throws: Failure.self) { try await sounds.append([1, 2], to: "a", at: 0, limit: 10) }
    #expect(late?.reason == "NOT_RECORDING")
    #expect(try await sounds.finish("a") == 3)
    #expect(try await sounds.read("a") == [1, 2, 3])
  }
}
