import Bus
import Foundation
import KithMessages
import Secrets
import Storage
import Testing

@Suite(.timeLimit(.minutes(5))) struct ContactsCommandTests {
  private func expectFailure(_ reason: String, _ work: () async throws -> Void) async {
    do {
      try await work()
      Issue.record("succeeded, where \(reason) was expected")
    } catch let failure as Failure {
      #expect(failure.reason == reason)
      #expect(!failure.message.isEmpty)
    } catch {
      Issue.record("\(error)")
    }
  }

  @Test(arguments: ["", "-x", "Upper", "with blank", "ümlaut", String(repeating: "a", count: 33)])
  func aBadNameIsRefused(_ name: String) async throws {
    let home = try Household()
    await self.expectFailure("FIELD_INVALID") { try await home.addFolder(name) }
    await home.close()
  }

  @Test func badSourcesAreRefused() async throws {
    let home = try Household()
    await self.expectFailure("FIELD_INVALID") { try await home.addFolder(path: "relative/path") }
    await self.expectFailure("FIELD_INVALID") { try await home.addFolder(path: "/") }
    var request = AddSourceRequest()
    request.name = "dav"
    await self.expectFailure("FIELD_INVALID") { _ = try await home.router.ask(request) }
    for change: (inout CardDAV) -> Void in [
      { $0.url = "" }, { $0.url = "https://ann:secret@example.org/" }, { $0.username = "a:b" },
      { $0.passwordFile = "relative" }, { $0.caFile = "ca.pem" }, { $0.pinnedKey = "sha1//x" },
      { $0.clientCertificate = "/etc/kith/own.pem" },
      {
        $0.password = "secret"
        $0.passwordFile = "/etc/kith/ann"
      },
    ] {
      request.carddav = CardDAV()
      request.carddav.url = "https://example.org/"
      change(&request.carddav)
      await self.expectFailure("FIELD_INVALID") { _ = try await home.router.ask(request) }
    }
    try await home.addFolder()
    await self.expectFailure("RECORD_EXISTS") { try await home.addFolder() }
    await self.expectFailure("RECORD_UNKNOWN") { _ = try await home.sync("other") }
    var export = ExportContactsRequest()
    export.format = "xml"
    await self.expectFailure("FIELD_INVALID") { _ = try await home.router.ask(export) }
    await home.close()
  }

  @Test func ofManyWhoAddTheSameNameTheOneWhoDoesHasItsPasswordKept() async throws {
    let home = try Household()
    let router = home.router
    let added = await withTaskGroup { group in
      for number in 0..<20 {
        group.addTask { () -> String? in
          var request = AddSourceRequest()
          request.name = "dav"
          request.carddav.url = "https://example.org/"
          request.carddav.username = "ann"
          request.carddav.password = "password-\(number)"
          return (try? await router.ask(request)).map { _ in request.carddav.password }
        }
      }
      return await group.reduce(into: []) { added, password in added += [password].compactMap(\.self) }
    }
    #expect(added.count == 1)
    #expect(try await home.secrets.secret(named: "contacts-dav") == added.first)
    await home.close()
  }

  @Test func aSourceIsTestedWithoutAChange() async throws {
    let home = try Household()
    try home.fill(4)
    try await home.addFolder()
    try await home.addFolder("away", path: home.root + "/nowhere")
    var request = TestSourceRequest()
    request.name = "home"
    var reply = try await home.router.ask(request)
    #expect(reply.readable && reply.items == 4)
    request.name = "away"
    reply = try await home.router.ask(request)
    #expect(!reply.readable && reply.error.reason == "SOURCE_UNAVAILABLE")
    #expect(try await home.live().isEmpty)
    await home.close()
  }

  @Test func removingASourceTakesItsContactsAtOnce() async throws {
    let home = try Household()
    try home.fill(4)
    try await home.addFolder()
    _ = try await home.sync()
    var request = RemoveSourceRequest()
    request.name = "home"
    #expect(try await home.router.ask(request).contactsRemoved == 4)
    #expect(try await home.all().isEmpty)
    #expect(home.events.last { $0.header.stream == "sync" }?.header.tombstone == true)
    await self.expectFailure("RECORD_UNKNOWN") { _ = try await home.router.ask(request, CallContext()) }
    await home.close()
  }

  @Test func severalSourcesSyncAtOnceAndOneFailureStopsNoOther() async throws {
    let home = try Household()
    try home.fill(20)
    try await home.addFolder("a")
    try await home.addFolder("b")
    try await home.addFolder("c", path: home.root + "/nowhere")
    let statuses = try await home.router.ask(SyncRequest()).sources
    #expect(statuses.map(\.source) == ["contacts:a", "contacts:b", "contacts:c"])
    #expect(statuses.map(\.state) == [.completed, .completed, .error])
    #expect(try await home.router.ask(SyncStatusRequest()).sources == statuses)
    await home.close()
  }

  @Test func syncsAtTheSameTimeShareOnePass() async throws {
    let home = try Household()
    try home.fill(50)
    try await home.addFolder()
    let runs = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<4 { group.addTask { try await home.sync().runID } }
      return try await group.reduce(into: Set<String>()) { $0.insert($1) }
    }
    let passes = home.events.filter { $0.event.sync.state == .completed }
    #expect(Set(passes.map(\.event.sync.runID)) == runs)
    #expect(passes.count == runs.count)
    #expect(try await home.live().count == 50)
    await home.close()
  }

  @Test func theSameRequestIsAnsweredFromTheJournal() async throws {
    let home = try Household()
    try home.fill(3)
    try await home.addFolder()
    let context = CallContext(requestID: "r1")
    let first = try await home.router.call(SyncRequest(), context)
    try home.write("new.vcf", Household.card(uid: "new", name: "New"))
    let second = try await home.router.call(SyncRequest(), context)
    #expect(second.isReplayed && second.reply == first.reply)
    #expect(try await home.live().count == 3)
    await home.close()
  }

  @Test func exportsInTheVersionAskedFor() async throws {
    let home = try Household()
    try home.write(
      "a.vcf", Household.card(uid: "a", name: "Ann", more: "TEL;VALUE=uri:tel:+49-30-1\r\nBDAY:1985/04/15\r\n"))
    try await home.addFolder()
    _ = try await home.sync()
    for (version, lines) in [
      ("", ["VERSION:3.0", "TEL:+49-30-1", "BDAY:1985-04-15"]), ("3.0", ["VERSION:3.0"]),
      ("4.0", ["VERSION:4.0", "TEL;VALUE=uri:tel:+49-30-1", "BDAY:19850415"]),
    ] {
      var request = ExportContactsRequest()
      request.vcardVersion = version
      var get = BlobGetRequest()
      get.sha256 = try await home.router.ask(request).sha256
      let text = String(decoding: try await home.storage.readBlob(get, by: .viewer).1, as: UTF8.self)
      #expect(lines.allSatisfy { text.contains("\($0)\r\n") }, "\(text)")
    }
    var request = ExportContactsRequest()
    request.vcardVersion = "2.1"
    await self.expectFailure("FIELD_INVALID") { _ = try await home.router.ask(request) }
    (request.vcardVersion, request.format) = ("4.0", "csv")
    await self.expectFailure("FIELD_INVALID") { _ = try await home.router.ask(request) }
    await home.close()
  }

  @Test func exportsInEachFormat() async throws {
    let home = try Household()
    let picture = "PHOTO;ENCODING=b;TYPE=JPEG:/9j/4AAQSkZJRgABAQAAAQABAAD/2Q==\r\n"
    for index in 0..<250 {
      try home.write(
        "\(index).vcf", Household.card(uid: "u\(index)", name: "Ann \"\(index)\"", more: index == 7 ? picture : ""))
    }
    try await home.addFolder()
    _ = try await home.sync()
    for (format, ending) in [("vcf", "END:VCARD\r\n"), ("json", "]}\n"), ("csv", "\"\r\n")] {
      var request = ExportContactsRequest()
      request.format = format
      let blob = try await home.router.ask(request)
      var get = BlobGetRequest()
      get.sha256 = blob.sha256
      var bytes: [UInt8] = []
      repeat {
        get.offset = UInt64(bytes.count)
        bytes += try await home.storage.readBlob(get, by: .viewer).1
      } while bytes.count < Int(blob.size)
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(text.hasSuffix(ending))
      #expect((0..<250).allSatisfy { text.contains("u\($0)") })
      if format == "vcf" {
        #expect(text.components(separatedBy: "BEGIN:VCARD").count == 251)
        #expect(text.contains("/9j/4AAQSkZJRgABAQAAAQABAAD/2Q=="))
      }
      if format == "json" {
        #expect(try Encoding.json.decode(ListContactsReply.self, from: bytes).contacts.count == 250)
      }
    }
    await home.close()
  }
}
