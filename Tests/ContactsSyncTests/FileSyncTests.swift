import Bus
import Foundation
import KithMessages
import Testing

/// Sources that are one file with many cards.
@Suite(.timeLimit(.minutes(5))) struct FileSyncTests {
  private static func cards(_ range: Range<Int>) -> [String] {
    range.map { Household.card(uid: $0.isMultiple(of: 3) ? nil : "u\($0)", name: "Person \($0)", phone: "\($0)") }
  }

  @Test func aFileWrittenAnewInAnotherOrderChangesNothing() async throws {
    let home = try Household()
    try home.write("all.vcf", Self.cards(0..<30).joined())
    try await home.addFile(file: "all.vcf")
    #expect(try await home.sync("export").added == 30)
    let ids = Set(try await home.live().map(\.id))
    try home.write("all.vcf", Self.cards(0..<30).reversed().joined())
    let status = try await home.sync("export")
    #expect(status.added == 0 && status.deleted == 0 && status.updated == 0 && status.unchanged == 30)
    #expect(Set(try await home.live().map(\.id)) == ids)
    await home.close()
  }

  @Test func editsAndDeletionsAreFoundByKey() async throws {
    let home = try Household()
    var cards = Self.cards(0..<30)
    try home.write("all.vcf", cards.joined())
    try await home.addFile(file: "all.vcf")
    _ = try await home.sync("export")
    cards[4] = Household.card(uid: "u4", name: "Renamed", phone: "4")
    cards.remove(at: 7)
    cards.append(Household.card(uid: "new", name: "New"))
    try home.write("all.vcf", cards.joined())
    let status = try await home.sync("export")
    #expect(status.added == 1 && status.updated == 1 && status.deleted == 1 && status.unchanged == 28)
    await home.close()
  }

  /// The keys of cards are digests where two have one UID, and come in any order.
  @Test(arguments: ["1", "2"], 0..<4)
  func aSecondCardOfAUIDTakesNoContactAway(_ phone: String, _ number: Int) async throws {
    let home = try Household()
    let others = (0..<8).map { Household.card(uid: "u\($0)", name: "Person \($0)") }.joined()
    try home.write("all.vcf", others + Household.card(uid: "same", name: "Ann", phone: "1"))
    try await home.addFile(file: "all.vcf")
    #expect(try await home.sync("export").added == 9)
    let id = try await home.live().first { $0.formattedName == "Ann" }?.id
    // The card itself may have changed at the same time.
    let same = Household.card(uid: "same", name: "Ann", phone: phone)
    let other = Household.card(uid: "same", name: "Bob \(number)", phone: "3")
    try home.write("all.vcf", others + other + same)
    var status = try await home.sync("export")
    #expect(status.added == 1 && status.deleted == 0)
    var live = try await home.live().filter { $0.uid == "same" }
    #expect(live.count == 2 && live.first { $0.formattedName == "Ann" }?.id == id)
    // The other one goes, and the key of the card is its UID again.
    try home.write("all.vcf", others + Household.card(uid: "same", name: "Ann", phone: "4"))
    status = try await home.sync("export")
    #expect(status.added == 0 && status.deleted == 1)
    live = try await home.live().filter { $0.uid == "same" }
    #expect(live.map(\.id) == [id] && live.map(\.formattedName) == ["Ann"])
    await home.close()
  }

  @Test func duplicateUIDsAreContactsOfTheirOwnAndKeepTheirIds() async throws {
    let home = try Household()
    let one = Household.card(uid: "same", name: "One")
    let two = Household.card(uid: "same", name: "Two")
    try home.write("all.vcf", one + two + Household.card(uid: "x", name: "X"))
    try await home.addFile(file: "all.vcf")
    #expect(try await home.sync("export").added == 3)
    let ids = Dictionary(uniqueKeysWithValues: try await home.live().map { ($0.formattedName, $0.id) })
    try home.write("all.vcf", two + Household.card(uid: "x", name: "X"))
    let status = try await home.sync("export")
    #expect(status.added == 0 && status.deleted == 1)
    #expect(try await home.live().count == 2)
    #expect(try await home.live().first { $0.uid == "x" }?.id == ids["X"])
    await home.close()
  }

  @Test(arguments: ["", "no card in here\r\n"])
  func aFileWithoutCardsIsUnavailable(_ text: String) async throws {
    let home = try Household()
    try home.write("all.vcf", Self.cards(0..<5).joined())
    try await home.addFile(file: "all.vcf")
    _ = try await home.sync("export")
    try home.write("all.vcf", text)
    let status = try await home.sync("export", allowMassDelete: true)
    #expect(status.state == .error && status.error.code == .unavailable && status.live == 5)
    await home.close()
  }

  @Test func aFileThatIsCutOffDeletesNothing() async throws {
    let home = try Household()
    let whole = Self.cards(0..<30).joined()
    try home.write("all.vcf", whole)
    try await home.addFile(file: "all.vcf")
    _ = try await home.sync("export")
    try home.write("all.vcf", String(whole.prefix(whole.count - 130)))
    var status = try await home.sync("export", allowMassDelete: true)
    #expect(
      status.deleted == 0 && status.heldBack == 1 && status.holdReason == "LISTING_NOT_WHOLE" && status.live == 30)
    try home.write("all.vcf", whole)
    status = try await home.sync("export")
    #expect(status.heldBack == 0 && status.live == 30 && status.deleted == 0)
    await home.close()
  }

  @Test func anUnchangedFileIsNotRead() async throws {
    let home = try Household()
    try home.write("all.vcf", Self.cards(0..<30).joined())
    try await home.addFile(file: "all.vcf")
    _ = try await home.sync("export")
    try home.write("all.vcf", Self.cards(0..<10).joined())
    #expect(try await home.sync("export").heldBack == 20)
    home.pass(hours: 12)
    #expect(try await home.sync("export").heldBack == 20)
    home.pass(hours: 12)
    let status = try await home.sync("export")
    #expect(status.deleted == 20 && status.live == 10)
    await home.close()
  }

  /// UIDs in Exchange's form.
  @Test(arguments: ["all.vcf", "export.txt"]) func slashesInUIDsMakeNoFolders(_ file: String) async throws {
    let home = try Household()
    let cards = (0..<30).map { Household.card(uid: "AAMk\($0)/x", name: "Person \($0)") }
    try home.write(file, cards.joined())
    try await home.addFile(file: file)
    #expect(try await home.sync("export").added == 30)
    try home.write(file, cards.dropFirst().joined())
    let status = try await home.sync("export")
    #expect(status.deleted == 1 && status.heldBack == 0)
    await home.close()
  }
}
