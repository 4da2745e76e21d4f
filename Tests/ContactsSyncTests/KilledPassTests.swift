import ContactsSync
import Foundation
import Glibc
import KithMessages
import Testing

/// After a process was killed in the middle of a pass, the next pass makes the store equal to the folder.
@Suite(.timeLimit(.minutes(5))) struct KilledPassTests {
  /// More than two batches.
  private static let count = 900

  @Test(arguments: [
    "pass_started:1", "listed:1", "batch_read:1", "batch_committed:1", "batch_read:3", "batch_committed:2",
    "deletions_decided:1", "pass_committed:1",
  ])
  func theNextPassEndsEqualToTheFolder(_ point: String) async throws {
    let root = try Household.directory()
    await #expect(processExitsWith: .signal(SIGKILL)) { [point = point as String, root = root as String] in
      setenv("KITH_FAULT_POINT", point, 1)
      let home = try Household(root: root)
      try home.fill(Self.count)
      try await home.addFolder()
      _ = try await home.sync()
    }
    let home = try Household(root: root)
    let left = try await home.storedStatus()
    await home.contacts.settle()
    #expect(left.state == (point == "pass_committed:1" ? .completed : .syncing))
    #expect(try await home.storedStatus().state == (point == "pass_committed:1" ? .completed : .idle))
    let before = try await home.live()
    let status = try await home.sync()
    #expect(status.state == .completed && status.live == Self.count)
    let live = try await home.live()
    #expect(Set(live.map(\.uid)) == Set((0..<Self.count).map { "u\($0)" }))
    #expect(live.count == Self.count)
    #expect(Set(before.map(\.id)).isSubset(of: live.map(\.id)))
    await home.close()
  }
}
