import Bus
import Foundation
import Glibc
import KithMessages
import SwiftProtobuf
import TestKit
import Testing

@testable import ContactsSync

@Suite(.timeLimit(.minutes(5))) struct FolderSyncTests {
  @Test func bringsInEditsDeletesAndRevives() async throws {
    let home = try Household()
    try home.fill(5)
    try await home.addFolder()
    var status = try await home.sync()
    #expect(
      status.state == .completed && status.added == 5 && status.total == 5 && status.done == 5 && status.live == 5)
    let ids = Dictionary(uniqueKeysWithValues: try await home.live().map { ($0.uid, $0.id) })

    status = try await home.sync()
    #expect(status.added == 0 && status.updated == 0 && status.unchanged == 5)

    try home.write("1.vcf", Household.card(uid: "u1", name: "Renamed"))
    try home.write("2.vcf", Household.card(uid: "u2", name: "Person 2", more: "REV:2026-01-01T00:00:00Z\r\n"))
    try home.remove("3.vcf")
    status = try await home.sync()
    #expect(status.updated == 1 && status.unchanged == 3 && status.deleted == 1 && status.live == 4)
    var live = try await home.live()
    #expect(live.map(\.formattedName).sorted() == ["Person 0", "Person 2", "Person 4", "Renamed"])
    #expect(try await home.all().first { $0.uid == "u3" }?.hasDeletedAt == true)

    try home.write("3.vcf", Household.card(uid: "u3", name: "Back"))
    status = try await home.sync()
    #expect(status.revived == 1 && status.added == 0)
    live = try await home.live()
    #expect(live.count == 5 && live.allSatisfy { ids[$0.uid] == $0.id })
    #expect(live.first { $0.uid == "u3" }?.formattedName == "Back")
    await home.close()
  }

  @Test func aRenamedFileKeepsItsContact() async throws {
    let home = try Household()
    try home.fill(3)
    try await home.addFolder()
    _ = try await home.sync()
    let before = try await home.live().first { $0.uid == "u1" }
    try home.move("1.vcf", to: "other name.vcf")
    let status = try await home.sync()
    #expect(status.deleted == 0 && status.added == 0 && status.live == 3)
    let after = try await home.live().first { $0.uid == "u1" }
    #expect(after?.id == before?.id && after?.sourceIdentifier == "other name.vcf")
    await home.close()
  }

  @Test func aCardWithoutUIDAndADuplicateUIDAreContactsOfTheirOwn() async throws {
    let home = try Household()
    try home.write("a.vcf", Household.card(uid: nil, name: "A"))
    try home.write("b.vcf", Household.card(uid: "same", name: "B"))
    try home.write("c.vcf", Household.card(uid: "same", name: "C"))
    try await home.addFolder()
    #expect(try await home.sync().added == 3)
    let ids = Set(try await home.live().map(\.id))
    #expect(ids.count == 3)
    #expect(try await home.sync(full: true).unchanged == 3)
    #expect(Set(try await home.live().map(\.id)) == ids)
    await home.close()
  }

  @Test func aFileOfSeveralCardsKeepsItsContactsAsItGrowsAndShrinks() async throws {
    let home = try Household()
    func card(_ uid: String) -> String { Household.card(uid: uid, name: "N " + uid) }
    try home.write("x.vcf", card("a"))
    try await home.addFolder()
    _ = try await home.sync()
    try home.write("x.vcf", card("b") + card("a") + card("c"))
    var status = try await home.sync()
    #expect(status.added == 2 && status.deleted == 0)
    let ids = Dictionary(uniqueKeysWithValues: try await home.live().map { ($0.uid, $0.id) })
    #expect(try await home.sync().unchanged == 3)
    try home.write("x.vcf", card("c") + card("a"))
    status = try await home.sync()
    #expect(status.deleted == 1 && status.added == 0)
    #expect(try await home.sync().unchanged == 2)
    try home.write("x.vcf", card("c") + card("b"))
    status = try await home.sync()
    #expect(status.revived == 1 && status.deleted == 1)
    #expect(Set(try await home.live().map { ids[$0.uid] == $0.id ? $0.uid : "?" }) == ["b", "c"])
    await home.close()
  }

  @Test func malformedCardsAreReportedAndTheRestGoesOn() async throws {
    let home = try Household()
    try home.fill(3)
    try await home.addFolder()
    _ = try await home.sync()
    try home.write("1.vcf", "")
    try home.write("junk.vcf", "this is no card\r\n")
    try home.write("new.vcf", Household.card(uid: "new", name: "New"))
    var status = try await home.sync()
    #expect(status.state == .completed && status.skipped == 2 && status.added == 1 && status.deleted == 0)
    let stale = try await home.live().first { $0.uid == "u1" }
    #expect(stale?.stale == true && stale?.formattedName == "Person 1")
    let problems = try await home.problems().filter(\.skipped)
    #expect(Set(problems.map(\.sourceIdentifier)) == ["1.vcf", "junk.vcf"])
    #expect(problems.allSatisfy { !$0.kind.isEmpty && !$0.message.isEmpty && !$0.message.contains("no card\r") })

    try home.write("1.vcf", Household.card(uid: "u1", name: "Person 1"))
    try home.remove("junk.vcf")
    status = try await home.sync()
    #expect(status.updated == 1 && status.skipped == 0)
    #expect(try await home.live().first { $0.uid == "u1" }?.stale == false)
    #expect(try await home.problems().filter(\.skipped).isEmpty)
    await home.close()
  }

  @Test func oddEntriesAreNotFollowedAndBlockNothing() async throws {
    let home = try Household()
    try home.fill(2)
    for name in [".hidden.vcf", "notes.txt", "card.vcf.tmp", "card.vcf~"] {
      try home.write(name, Household.card(uid: name, name: name))
    }
    #expect(mkfifo(home.path("pipe.vcf"), 0o600) == 0)
    #expect(symlink("/etc/passwd", home.path("link.vcf")) == 0)
    try FileManager.default.createDirectory(atPath: home.path("folder.vcf"), withIntermediateDirectories: true)
    try home.write("UPPER.VCF", Household.card(uid: "upper", name: "Upper"))
    try await home.addFolder()
    let status = try await home.sync()
    #expect(status.state == .completed && status.added == 3 && status.skipped == 3)
    #expect(Set(try await home.problems().map(\.sourceIdentifier)) == ["pipe.vcf", "link.vcf", "folder.vcf"])
    await home.close()
  }

  @Test func cardsThatLieTooDeepAreNamed() async throws {
    let home = try Household()
    for folder in ["a/empty", "a/.git", "a/deep", "b/deep/deeper", "b/notes"] {
      try FileManager.default.createDirectory(atPath: home.path(folder), withIntermediateDirectories: true)
    }
    try home.write("a/1.vcf", Household.card(uid: "1", name: "One"))
    for name in ["a/.git/x.vcf", "a/deep/x.vcf", "b/deep/deeper/x.vcf"] {
      try home.write(name, Household.card(uid: name, name: name))
    }
    try home.write("b/notes/readme.txt", "no card")
    try FileManager.default.createSymbolicLink(atPath: home.path("b/link"), withDestinationPath: home.path("a"))
    try await home.addFolder()
    for _ in 0..<2 {
      let status = try await home.sync()
      #expect(status.state == .completed && status.live == 1 && status.skipped == 3)
      let problems = try await home.problems()
      #expect(
        Dictionary(uniqueKeysWithValues: problems.map { ($0.sourceIdentifier, $0.kind) }) == [
          "a/deep/": "folder_too_deep", "b/deep/": "folder_too_deep", "b/link": "folder_link",
        ])
    }
    // A card that is moved up is read, and its folder is no longer a problem.
    try home.move("a/deep/x.vcf", to: "a/2.vcf")
    let status = try await home.sync()
    #expect(status.added == 1 && status.skipped == 2)
    #expect(try await home.problems().map(\.sourceIdentifier).sorted() == ["b/deep/", "b/link"])
    await home.close()
  }

  @Test func theSearchOfDeepFoldersEnds() throws {
    let home = try TemporaryDirectory()
    let path = home.path + "/a/" + (0..<5).map { "\($0)" }.joined(separator: "/")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let folder = try Folder(path: home.path)
    let trials: [(Int, Bool?, Int)] = [(9, false, 3), (6, false, 0), (5, nil, 0)]
    for (limit, hasCards, rest) in trials {
      var left = limit
      #expect(try folder.hasCards(in: FileName(text: "a"), lookingInto: &left) == hasCards && left == rest)
    }
  }

  /// About as many as a folder of documents has.
  @Test func foldersThatWereNotSearchedAreNotSaidToHoldCards() async throws {
    let home = try Household()
    for number in 0..<1_010 {
      for folder in ["a", "b"] {
        try FileManager.default.createDirectory(
          atPath: home.path("\(folder)/\(number)"), withIntermediateDirectories: true)
      }
    }
    try home.write("1.vcf", Household.card(uid: "1", name: "One"))
    try await home.addFolder()
    for _ in 0..<2 {
      let status = try await home.sync()
      #expect(status.state == .completed && status.live == 1 && status.skipped == 1)
      let problems = try await home.problems()
      #expect(problems.map(\.kind) == ["folders_not_searched"] && problems.allSatisfy(\.skipped))
    }
    await home.close()
  }

  /// The root of an ext4 file system has this folder, and only root may read it.
  @Test func whatFileSystemsKeepForThemselvesIsLeftOut() async throws {
    let home = try Household()
    try FileManager.default.createDirectory(atPath: home.path("lost+found"), withIntermediateDirectories: true)
    try home.write("lost+found/1.vcf", Household.card(uid: "1", name: "One"))
    try home.write("2.vcf", Household.card(uid: "2", name: "Two"))
    try await home.addFolder()
    let status = try await home.sync()
    #expect(status.added == 1 && status.skipped == 0)
    #expect(try Folder(path: home.folder).folders().isEmpty)
    await home.close()
  }

  @Test func aNameOfAnyBytesIsRead() async throws {
    let home = try Household()
    let path = Array(home.path("").utf8) + [0xFF, 0x25] + Array(".vcf".utf8)
    let descriptor = open(path.map { CChar(bitPattern: $0) } + [0], O_CREAT | O_WRONLY, 0o600)
    #expect(descriptor >= 0)
    let text = Array(Household.card(uid: "odd", name: "Odd").utf8)
    #expect(Glibc.write(descriptor, text, text.count) == text.count)
    Glibc.close(descriptor)
    try await home.addFolder()
    #expect(try await home.sync().added == 1)
    #expect(try await home.live().first?.sourceIdentifier == "%FF%25.vcf")
    #expect(try await home.sync().unchanged == 1)
    await home.close()
  }

  @Test func twoWritesInOneTickAreBothSeen() async throws {
    let home = try Household()
    home.useRealTime()
    try home.write("a.vcf", Household.card(uid: "a", name: "One"))
    try await home.addFolder()
    _ = try await home.sync()
    // The same size and inode, and possibly the same stamp.
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: home.path("a.vcf")))
    try file.write(contentsOf: Data(Household.card(uid: "a", name: "Two").utf8))
    try file.close()
    #expect(try await home.sync().updated == 1)
    #expect(try await home.live().map(\.formattedName) == ["Two"])
    await home.close()
  }

  @Test func aRestoredContactStaysWhileItsCardIsAway() async throws {
    let home = try Household()
    try home.fill(5)
    try await home.addFolder()
    _ = try await home.sync()
    let id = try #require(try await home.live().first { $0.uid == "u2" }?.id)
    try home.remove("2.vcf")
    #expect(try await home.sync().deleted == 1)
    var restore = RestoreContactRequest()
    restore.id = id
    #expect(try await home.router.ask(restore).contact.hasDeletedAt == false)
    for _ in 0..<2 {
      let status = try await home.sync()
      #expect(status.deleted == 0 && status.heldBack == 0 && status.live == 5)
    }
    try home.write("2.vcf", Household.card(uid: "u2", name: "Again"))
    _ = try await home.sync()
    #expect(try await home.live().first { $0.id == id }?.formattedName == "Again")
    try home.remove("2.vcf")
    #expect(try await home.sync().deleted == 1)
    await home.close()
  }

  @Test func eventsNameNobodyAndTellWhatHappened() async throws {
    let home = try Household()
    try home.fill(3)
    try await home.addFolder()
    _ = try await home.sync()
    let sync = home.events.filter { $0.header.stream == "sync" }
    let states = sync.map(\.event.sync.state)
    #expect(states.first == .idle && states.last == .completed)
    #expect(states.dropFirst().dropLast().allSatisfy { $0 == .syncing } && states.count >= 3)
    #expect(sync.allSatisfy { $0.header.key == "contacts:home" })
    #expect(sync.map(\.header.seq) == Array(1...UInt64(sync.count)))
    let changed = home.events.filter { $0.header.stream == "contacts" }.flatMap(\.event.changed.ids)
    #expect(Set(changed) == Set(try await home.live().map(\.id)))
    let bytes = try home.events.map { try $0.event.serializedBytes() as [UInt8] }
    #expect(bytes.allSatisfy { !String(decoding: $0, as: UTF8.self).contains("Person") })
    await home.close()
  }

  /// On Linux both names are different files; Swift's strings compare them as equal.
  @Test(arguments: [true, false]) func aComposedAndADecomposedNameAreTwoCards(_ hasUID: Bool) async throws {
    let home = try Household()
    let names = ["jos\u{E9}.vcf", "jose\u{301}.vcf"]
    for (number, name) in names.enumerated() {
      try home.write(name, Household.card(uid: hasUID ? "u\(number)" : nil, name: "Person \(number)"))
    }
    try await home.addFolder()
    #expect(try await home.sync().added == 2)
    let ids = Set(try await home.live().map(\.id))
    for isFull in [false, true, false] {
      let status = try await home.sync(full: isFull)
      #expect(status.added + status.updated + status.deleted + status.revived + status.heldBack == 0)
      #expect(Set(try await home.live().map(\.id)) == ids)
    }
    try home.remove(names[1])
    #expect(try await home.sync().deleted == 1)
    #expect(try await home.live().map(\.formattedName) == ["Person 0"])
    await home.close()
  }
}
