import EventLoop
import Foundation
import KithMessages
import Logging
import Testing

@testable import ContactsSync

/// Passes that start automatically when files change.
@Suite(.timeLimit(.minutes(5))) struct SourceKeeperTests {
  /// Runs a keeper that has started to watch the sources of `home`.
  private func withKeeper(_ home: Household, _ work: (SourceKeeper) async throws -> Void) async throws {
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let loop = try LoopExecutor(name: "keeper", poller: try DescriptorPoller(), logger: logger)
    do {
      let plan = SourceKeeper.Plan(startsNow: false, interval: nil, watchesFiles: true)
      let keeper = SourceKeeper(contacts: home.contacts, plan: plan, loop: loop)
      await keeper.start()
      try await work(keeper)
      await keeper.stop()
      await home.close()
    }
    await loop.shutdown()
  }

  @Test func aChangedFileStartsAPass() async throws {
    let home = try Household()
    try await home.addFolder()
    try await self.withKeeper(home) { _ in
      try home.fill(3)
      try await home.until { try await home.live().count == 3 }
      try home.remove("1.vcf")
      try await home.until { try await home.live().count == 2 }
      #expect(home.events.allSatisfy { $0.event.sync.state != .error })
    }
  }

  @Test func foldersInTheFolderAreWatchedAsTheyComeAndGo() async throws {
    let home = try Household()
    try FileManager.default.createDirectory(atPath: home.path("there"), withIntermediateDirectories: true)
    try await home.addFolder()
    try await self.withKeeper(home) { _ in
      try home.write("there/1.vcf", Household.card(uid: "a", name: "A"))
      try await home.until { try await home.live().count == 1 }
      try FileManager.default.createDirectory(atPath: home.path("new"), withIntermediateDirectories: true)
      try home.write("new/1.vcf", Household.card(uid: "b", name: "B"))
      try await home.until { try await home.live().count == 2 }
      try home.write("new/2.vcf", Household.card(uid: "c", name: "C"))
      try await home.until { try await home.live().count == 3 }
      try home.move("new", to: "other")
      try await home.until { try await home.live().contains { $0.sourceIdentifier == "other/2.vcf" } }
      try home.write("other/3.vcf", Household.card(uid: "d", name: "D"))
      try await home.until { try await home.live().count == 4 }
      #expect(home.events.allSatisfy { $0.event.sync.state != .error && $0.event.sync.deleted == 0 })
    }
  }

  @Test func aFolderThatComesBackIsWatchedAgain() async throws {
    let home = try Household()
    try home.fill(3)
    try await home.addFolder()
    _ = try await home.sync()
    try await self.withKeeper(home) { _ in
      try FileManager.default.moveItem(atPath: home.folder, toPath: home.root + "/away")
      try await home.until { home.events.last { $0.header.stream == "sync" }?.event.sync.state == .error }
      try FileManager.default.moveItem(atPath: home.root + "/away", toPath: home.folder)
      try await home.until { home.events.last { $0.header.stream == "sync" }?.event.sync.state == .completed }
      try home.write("new.vcf", Household.card(uid: "new", name: "New"))
      try await home.until { try await home.live().count == 4 }
      #expect(home.events.contains { $0.event.sync.deleted > 0 } == false, "a folder that was away deleted contacts")
    }
  }

  /// A source that could not be read at its first event is watched after a later one.
  @Test func aSourceThatWasNotFoundAtFirstIsTakenUp() async throws {
    let home = try Household()
    try await self.withKeeper(home) { keeper in
      await keeper.takeUp("home")
      try await home.addFolder()
      await keeper.takeUp("home")
      try home.fill(3)
      try await home.until { try await home.live().count == 3 }
    }
  }

  @Test func aFileThatIsReplacedStartsAPass() async throws {
    let home = try Household()
    try home.write("all.vcf", Household.card(uid: "a", name: "A"))
    try await home.addFile(file: "all.vcf")
    _ = try await home.sync("export")
    try await self.withKeeper(home) { _ in
      try home.write("all.vcf", Household.card(uid: "a", name: "A") + Household.card(uid: "b", name: "B"))
      try await home.until { try await home.live().count == 2 }
      #expect(home.events.contains { $0.event.sync.deleted > 0 } == false, "the card that stayed was deleted")
    }
  }
}
