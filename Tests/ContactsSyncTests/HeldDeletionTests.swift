import Bus
import Foundation
import Glibc
import KithMessages
import Testing

/// A faulty source deletes nothing, and is reported.
@Suite(.timeLimit(.minutes(5))) struct HeldDeletionTests {
  private func household(_ count: Int = 30) async throws -> Household {
    let home = try Household()
    try home.fill(count)
    try await home.addFolder()
    #expect(try await home.sync().added == count)
    return home
  }

  @Test func anEmptiedFolderIsHeldUntilConfirmed() async throws {
    let home = try await self.household()
    for index in 0..<30 { try home.remove("\(index).vcf") }
    for _ in 0..<4 {
      let status = try await home.sync()
      #expect(status.state == .completed && status.heldBack == 30 && status.holdReason == "LISTING_EMPTY")
      #expect(status.deleted == 0 && status.live == 30)
      home.pass(hours: 24)
    }
    #expect(try await home.live().allSatisfy { $0.hasMissingSince })
    let status = try await home.sync(allowMassDelete: true)
    #expect(status.deleted == 30 && status.live == 0 && status.heldBack == 0)
    await home.close()
  }

  @Test func aHalvedFolderIsReleasedAfterThreePassesAndADay() async throws {
    let home = try await self.household()
    for index in 0..<15 { try home.remove("\(index).vcf") }
    try home.write("new.vcf", Household.card(uid: "new", name: "New"))
    var status = try await home.sync()
    #expect(status.heldBack == 15 && status.holdReason == "TOO_MANY" && status.added == 1 && status.live == 31)
    home.pass(hours: 12)
    #expect(try await home.sync().heldBack == 15)
    home.pass(hours: 13)
    status = try await home.sync()
    #expect(status.deleted == 15 && status.live == 16)
    await home.close()
  }

  /// A machine without a clock chip starts in the past, until it reaches a time server.
  @Test func oneStepOfTheClockReleasesNothing() async throws {
    let home = try await self.household()
    for index in 0..<15 { try home.remove("\(index).vcf") }
    #expect(try await home.sync().heldBack == 15)
    home.pass(hours: 40 * 24)
    for _ in 0..<4 { #expect(try await home.sync().heldBack == 15) }
    home.pass(hours: 12)
    #expect(try await home.sync().deleted == 15)
    await home.close()
  }

  @Test func aClockThatIsSetBackStartsTheCountAgain() async throws {
    let home = try await self.household()
    for index in 0..<15 { try home.remove("\(index).vcf") }
    for hours in [0, 13, -40 * 24, 13] as [Int64] {
      home.pass(hours: hours)
      #expect(try await home.sync().heldBack == 15)
    }
    home.pass(hours: 12)
    #expect(try await home.sync().deleted == 15)
    await home.close()
  }

  @Test func oneStepOfTheClockErasesNothing() async throws {
    let home = try await self.household()
    for index in 0..<3 { try home.remove("\(index).vcf") }
    #expect(try await home.sync().deleted == 3)
    home.pass(hours: 40 * 24)
    for _ in 0..<3 {
      _ = try await home.sync()
      #expect(try await home.all().count == 30)
    }
    home.pass(hours: 6 * 24)
    _ = try await home.sync()
    #expect(try await home.all().count == 30)
    home.pass(hours: 24)
    _ = try await home.sync()
    #expect(try await home.all().count == 27)
    await home.close()
  }

  @Test func whatIsDeletedIsErasedAfterThirtyDays() async throws {
    let home = try await self.household()
    try home.remove("0.vcf")
    #expect(try await home.sync().deleted == 1)
    for days in 1...31 {
      home.pass(hours: 24)
      _ = try await home.sync()
      #expect(try await home.all().count == (days < 30 ? 30 : 29), "day \(days)")
    }
    await home.close()
  }

  @Test func leaveIsForWhatWasHeldBeforeAlone() async throws {
    let home = try await self.household()
    for index in 0..<12 { try home.remove("\(index).vcf") }
    #expect(try await home.sync().heldBack == 12)
    for index in 12..<28 { try home.move("\(index).vcf", to: "\(index).away") }
    var status = try await home.sync(allowMassDelete: true)
    #expect(status.deleted == 12 && status.heldBack == 16 && status.holdReason == "TOO_MANY" && status.live == 18)
    for index in 28..<30 { try home.move("\(index).vcf", to: "\(index).away") }
    status = try await home.sync(allowMassDelete: true)
    #expect(status.deleted == 16 && status.heldBack == 2 && status.holdReason == "LISTING_EMPTY" && status.live == 2)
    await home.close()
  }

  @Test func leaveIsForOneSource() async throws {
    let home = try await self.household(3)
    var request = SyncRequest()
    request.allowMassDelete = true
    let failure = await #expect(throws: Failure.self) { _ = try await home.router.ask(request) }
    #expect(failure?.code == .invalidArgument && failure?.message.contains("kith contacts status") == true)
    await home.close()
  }

  @Test func whatComesBackIsNoLongerMissing() async throws {
    let home = try await self.household()
    for index in 0..<15 { try home.move("\(index).vcf", to: "\(index).away") }
    #expect(try await home.sync().heldBack == 15)
    for index in 0..<15 { try home.move("\(index).away", to: "\(index).vcf") }
    let status = try await home.sync()
    #expect(status.heldBack == 0 && status.deleted == 0 && status.live == 30)
    #expect(try await home.live().allSatisfy { !$0.hasMissingSince })
    await home.close()
  }

  @Test func aFolderMovedAwayIsAnErrorAndComesBack() async throws {
    let home = try await self.household()
    try FileManager.default.moveItem(atPath: home.folder, toPath: home.root + "/away")
    for failures in 1...2 {
      let status = try await home.sync(allowMassDelete: true)
      #expect(status.state == .error && status.error.reason == "SOURCE_UNAVAILABLE" && status.live == 30)
      #expect(status.consecutiveFailures == failures && status.hasLastSuccessAt)
    }
    try FileManager.default.moveItem(atPath: home.root + "/away", toPath: home.folder)
    let status = try await home.sync()
    #expect(status.state == .completed && status.unchanged == 30 && status.consecutiveFailures == 0)
    await home.close()
  }

  @Test func anotherFolderAtTheSamePathIsNotTheSource() async throws {
    let home = try await self.household()
    try FileManager.default.moveItem(atPath: home.folder, toPath: home.root + "/away")
    try FileManager.default.createDirectory(atPath: home.folder, withIntermediateDirectories: true)
    try home.write("old.vcf", Household.card(uid: "old", name: "Old"))
    var status = try await home.sync()
    #expect(status.state == .error && status.error.reason == "SOURCE_REPLACED")
    #expect(try await home.live().count == 30)
    status = try await home.sync(allowMassDelete: true)
    #expect(status.deleted == 30 && status.added == 1)
    await home.close()
  }

  /// The disk was unmounted after a deletion was held, and an older folder is at its mount point.
  @Test func leaveForHeldCardsIsNoneForAnotherFolder() async throws {
    let home = try await self.household(60)
    for index in 0..<13 { try home.remove("\(index).vcf") }
    #expect(try await home.sync().heldBack == 13)
    try FileManager.default.moveItem(atPath: home.folder, toPath: home.root + "/away")
    try FileManager.default.createDirectory(atPath: home.folder, withIntermediateDirectories: true)
    for index in 20..<30 {
      try home.write("\(index).vcf", Household.card(uid: "u\(index)", name: "Person \(index)"))
    }
    var status = try await home.sync(allowMassDelete: true)
    #expect(status.state == .error && status.error.reason == "SOURCE_REPLACED")
    #expect(status.deleted == 0 && status.live == 60)
    // The disk is mounted again.
    try FileManager.default.removeItem(atPath: home.folder)
    try FileManager.default.moveItem(atPath: home.root + "/away", toPath: home.folder)
    #expect(try await home.sync().heldBack == 13)
    status = try await home.sync(allowMassDelete: true)
    #expect(status.deleted == 13 && status.heldBack == 0 && status.live == 47)
    await home.close()
  }

  @Test func anotherFolderWithTheSameCardsIsTheSource() async throws {
    let home = try await self.household()
    try FileManager.default.moveItem(atPath: home.folder, toPath: home.root + "/away")
    try FileManager.default.copyItem(atPath: home.root + "/away", toPath: home.folder)
    try home.remove("1.vcf")
    let status = try await home.sync()
    #expect(status.state == .completed && status.deleted == 1 && status.unchanged == 29)
    await home.close()
  }

  @Test func aFileInThePlaceOfTheFolderIsAnError() async throws {
    let home = try await self.household(3)
    try FileManager.default.removeItem(atPath: home.folder)
    try Data("x".utf8).write(to: URL(fileURLWithPath: home.folder))
    let status = try await home.sync()
    #expect(status.state == .error && status.error.reason == "SOURCE_NOT_A_FOLDER" && status.live == 3)
    await home.close()
  }

  @Test(.enabled(if: getuid() != 0, "root may read everything, so a denied permission cannot be shown"))
  func anUnreadableFolderIsAnError() async throws {
    let home = try await self.household(3)
    chmod(home.folder, 0)
    let status = try await home.sync()
    chmod(home.folder, 0o700)
    #expect(status.state == .error && status.error.reason == "SOURCE_UNREADABLE" && status.live == 3)
    await home.close()
  }

  /// Deletes a card and restores its contact by hand, so that it is kept while the card is missing.
  private func keep(_ uid: String, in home: Household) async throws {
    let id = try #require(try await home.live().first { $0.uid == uid }?.id)
    try home.remove("\(uid.dropFirst()).vcf")
    #expect(try await home.sync().deleted == 1)
    var restore = RestoreContactRequest()
    restore.id = id
    _ = try await home.router.ask(restore)
  }

  @Test(arguments: [5, 12, 30]) func aContactKeptByHandDoesNotOpenTheGuard(_ count: Int) async throws {
    let home = try await self.household(count)
    try await self.keep("u0", in: home)
    for index in 1..<count { try home.remove("\(index).vcf") }
    for _ in 0..<5 {
      let status = try await home.sync()
      #expect(status.deleted == 0 && status.heldBack == count - 1 && status.holdReason == "LISTING_EMPTY")
      #expect(status.live == count)
      home.pass(hours: 24)
    }
    #expect(try await home.sync(allowMassDelete: true).deleted == count - 1)
    #expect(try await home.live().map(\.uid) == ["u0"])
    await home.close()
  }

  @Test func contactsKeptByHandDoNotOpenTheGuardToOtherCards() async throws {
    let home = try await self.household(5)
    try await self.keep("u0", in: home)
    for index in 1..<5 { try home.remove("\(index).vcf") }
    try home.write("other.vcf", Household.card(uid: "other", name: "Other"))
    let status = try await home.sync()
    #expect(status.deleted == 0 && status.heldBack == 4 && status.holdReason == "ALL_WOULD_GO" && status.added == 1)
    await home.close()
  }

  @Test func contactsKeptByHandDoNotHideAReplacedFolder() async throws {
    let home = try await self.household(12)
    for index in 0..<10 { try await self.keep("u\(index)", in: home) }
    try FileManager.default.moveItem(atPath: home.folder, toPath: home.root + "/away")
    try FileManager.default.createDirectory(atPath: home.folder, withIntermediateDirectories: true)
    let status = try await home.sync()
    #expect(status.state == .error && status.error.reason == "SOURCE_REPLACED" && status.live == 12)
    await home.close()
  }

  @Test func aFileKeepsItsCardsWhereOneIsKeptByHand() async throws {
    let home = try Household()
    func write(_ numbers: Range<Int>) throws {
      let cards = numbers.map { Household.card(uid: "u\($0)", name: "Person \($0)") }
      try home.write("all.vcf", cards.joined())
    }
    try write(0..<5)
    try await home.addFile(file: "all.vcf")
    #expect(try await home.sync("export").added == 5)
    try write(0..<4)
    #expect(try await home.sync("export").deleted == 1)
    var restore = RestoreContactRequest()
    restore.id = try #require(try await home.all().first { $0.uid == "u4" }?.id)
    _ = try await home.router.ask(restore)
    try write(7..<8)
    var status = try await home.sync("export")
    #expect(status.deleted == 0 && status.heldBack == 4 && status.holdReason == "ALL_WOULD_GO")
    try home.write("all.vcf", "")
    status = try await home.sync("export")
    #expect(status.state == .error && status.live == 6)
    await home.close()
  }
}
