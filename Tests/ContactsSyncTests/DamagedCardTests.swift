import Foundation
import KithMessages
import Testing

/// Cards without an end, as a program leaves them that is still writing or was killed.
@Suite(.timeLimit(.minutes(5))) struct DamagedCardTests {
  private static let cut = "BEGIN:VCARD\r\nVERSION:3.0\r\n"

  @Test func aNewCardThatSaysNothingIsAProblem() async throws {
    let home = try Household()
    try home.fill(2)
    try home.write("cut.vcf", Self.cut)
    try await home.addFolder()
    let status = try await home.sync()
    #expect(status.added == 2 && status.skipped == 1 && status.live == 2)
    #expect(try await home.problems().map(\.kind) == ["cut_off"])
    try home.write("cut.vcf", Household.card(uid: "cut", name: "Whole"))
    #expect(try await home.sync().added == 1)
    #expect(try await home.problems().isEmpty)
    await home.close()
  }

  @Test(arguments: ["3.vcf", "other.vcf"])
  func aDeletedContactComesBackOnlyWithAWholeCard(_ name: String) async throws {
    let home = try Household()
    try home.fill(5)
    try await home.addFolder()
    _ = try await home.sync()
    let id = try await home.live().first { $0.uid == "u3" }?.id
    try home.remove("3.vcf")
    #expect(try await home.sync().deleted == 1)

    try home.write(name, Self.cut + "UID:u3\r\nFN:Per")
    var status = try await home.sync()
    #expect(status.revived == 0 && status.added == 0 && status.skipped == 1 && status.live == 4)
    #expect(try await home.problems().allSatisfy { $0.kind == "missing_end" && $0.skipped })

    try home.write(name, Household.card(uid: "u3", name: "Person 3"))
    status = try await home.sync()
    #expect(status.revived == 1 && status.live == 5)
    #expect(try await home.live().first { $0.uid == "u3" }?.id == id)
    #expect(try await home.problems().isEmpty)
    await home.close()
  }

  @Test func aFileCutOffAfterABeginDeletesNothing() async throws {
    let home = try Household()
    let cards = (0..<30).map { Household.card(uid: "u\($0)", name: "Person \($0)") }
    try home.write("all.vcf", cards.joined())
    try await home.addFile(file: "all.vcf")
    _ = try await home.sync("export")
    for end in ["BEGIN:VCARD\r\n", Self.cut] {
      try home.write("all.vcf", cards.dropLast(3).joined() + end)
      let status = try await home.sync("export")
      #expect(status.deleted == 0 && status.live == 30 && status.holdReason == "LISTING_NOT_WHOLE")
    }
    await home.close()
  }
}
