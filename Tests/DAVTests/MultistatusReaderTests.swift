import DAV
import Testing

@Suite struct MultistatusReaderTests {
  @Test(arguments: ["radicaleBook", "xandikosBook", "sabreBook"])
  func eachDialectTellsOfAnAddressBook(_ name: String) throws {
    let reading = try Reading(try #require(Dialects.all[name]))
    #expect(reading.responses.count == 1)
    let book = try #require(reading.responses.first)
    #expect(book.properties.resourceType == [.collection, .addressBook])
    #expect(book.properties.reports?.contains("sync-collection") == true)
    #expect(book.properties.cardVersions?.contains("3.0") == true)
    #expect(book.properties.syncToken?.isEmpty == false)
    #expect(book.properties.collectionTag?.isEmpty == false)
    #expect(!book.properties.isReadOnly)
  }

  @Test func valuesAreTakenAsGiven() throws {
    let radicale = try #require(Reading(Dialects.radicaleBook).responses.first)
    #expect(radicale.properties.syncToken == "http://radicale.org/ns/sync/3f0c")
    #expect(radicale.properties.collectionTag == "\"3f0c\"")
    #expect(radicale.refused == [404])
    let sabre = try #require(Reading(Dialects.sabreBook).responses.first)
    #expect(sabre.properties.cardVersions == ["3.0", "4.0"])
    #expect(sabre.properties.privileges == ["privilege", "read", "write"])
  }

  @Test func cardsKeepTheirBytes() throws {
    let sabre = try #require(Reading(Dialects.sabreCards).responses.first)
    #expect(sabre.href == "/addressbooks/alice/book/sp%20ace%26%c3%bc.vcf")
    #expect(sabre.properties.entityTag == "\"m1\"")
    #expect(sabre.properties.addressData == Array("BEGIN:VCARD\r\nNOTE:a & b <c> é\r\nEND:VCARD\r\n".utf8))
    let radicale = try Reading(Dialects.radicaleCards).responses
    #expect(radicale.map(\.isGone) == [true, false])
    #expect(radicale.last?.properties.addressData == Array("BEGIN:VCARD\nFN:Ä\nEND:VCARD\n".utf8))
  }

  @Test func changesAndTheirToken() throws {
    let reading = try Reading(Dialects.changes)
    #expect(reading.end.syncToken == "t2")
    #expect(reading.responses.map(\.status) == [nil, 404, 507])
    #expect(reading.responses[0].properties.contentType == "text/vcard;charset=utf-8")
    #expect(reading.responses[0].properties.resourceType == [])
    #expect(reading.responses[2].conditions == [.matchesWithinLimits])
    #expect(reading.end.conditions.isEmpty)
  }

  @Test func principalAndHomes() throws {
    let principal = try #require(Reading(Dialects.principal).responses.first)
    #expect(principal.properties.currentUserPrincipal == "/principals/alice/")
    #expect(principal.properties.principalURL == "/principals/alice/")
    #expect(principal.properties.homeSet == ["/books/alice/", "/books/shared/"])
  }

  @Test func errorsNameTheirConditions() throws {
    let reading = try Reading(Dialects.tokenError)
    #expect(reading.end.isError)
    #expect(reading.end.conditions == [.validSyncToken])
  }

  /// The same is read wherever the network splits a document.
  @Test(arguments: Dialects.names)
  func anyCutReadsTheSame(_ name: String) throws {
    let document = try #require(Dialects.all[name])
    let bytes = Array(document.utf8)
    let whole = try Reading(document)
    for cut in 1..<bytes.count {
      #expect(try Reading([Array(bytes[..<cut]), Array(bytes[cut...])]) == whole, "cut at \(cut)")
    }
    #expect(try Reading(bytes.map { [$0] }) == whole)
  }

  /// A truncated document never counts as complete, and its complete responses are returned.
  @Test(arguments: Dialects.names)
  func noBeginningOfADocumentIsWhole(_ name: String) throws {
    let document = try #require(Dialects.all[name])
    let text = document.split(separator: ">", omittingEmptySubsequences: false).dropLast().joined(separator: ">")
    let bytes = Array(text.utf8)
    for count in 0..<bytes.count { #expect(throws: XMLFault.self) { try Reading([Array(bytes[..<count])]) } }
  }

  @Test func responsesComeAsSoonAsTheyAreRead() throws {
    var reader = try MultistatusReader()
    let parts = Dialects.radicaleCards.split(separator: "</response>")
    #expect(try Reading.feed(&reader, Array("\(parts[0])</response>".utf8)).map(\.href) == ["/alice/book/gone.vcf"])
  }

  @Test func aResponseOfSeveralHrefsIsGivenForEach() throws {
    let reading = try Reading(
      #"<multistatus xmlns="DAV:"><response><href>/a</href><href>/b</href><status>HTTP/1.1 404 x</status></response></multistatus>"#
    )
    #expect(reading.responses.map(\.href) == ["/a", "/b"])
    #expect(reading.responses.allSatisfy { $0.isGone })
  }

  /// Each of these makes a listing incomplete.
  @Test(arguments: [
    "<response><status>HTTP/1.1 200 OK</status></response>", "<response><href>/a</href></response>",
    "<response><href> </href><status>HTTP/1.1 404 Not Found</status></response>", "<response/>",
  ])
  func aResponseThatSaysNothingIsCounted(_ response: String) throws {
    let reading = try Reading("<multistatus xmlns=\"DAV:\">\(response)</multistatus>")
    #expect(reading.responses.isEmpty)
    #expect(reading.end.unreadable == 1)
  }

  @Test func namesElsewhereMeanNothing() throws {
    let reading = try Reading(
      """
      <multistatus xmlns="DAV:" xmlns:o="other"><o:response><href>/no</href></o:response><response><href>/a</href>
      <o:x><sync-token>wrong</sync-token><getetag>wrong</getetag></o:x><propstat><prop><getetag>right</getetag>
      <o:getetag>wrong</o:getetag></prop><status>HTTP/1.1 200 OK</status></propstat></response></multistatus>
      """)
    #expect(reading.end.syncToken == nil)
    #expect(reading.responses.map(\.properties.entityTag) == ["right"])
  }

  @Test func readOnlyIsWhatHasNoPrivilegeToWrite() {
    var properties = DAVProperties()
    #expect(!properties.isReadOnly)
    properties.privileges = ["privilege", "read"]
    #expect(properties.isReadOnly)
    properties.privileges = ["privilege", "read", "write-content"]
    #expect(!properties.isReadOnly)
  }
}
