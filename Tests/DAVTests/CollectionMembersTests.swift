import DAV
import TestKit
import Testing
import Transfer

/// What a listing reports about the members of a collection.
extension CollectionPassTests {
  @Test func membersAreSorted() throws {
    var list = self.book()
    list.responses += [
      self.member("/alice/book/ok"), self.member("/alice/other/x"), self.member("/alice/book/deep/x"),
      self.member("/alice/book/sub/") { $0.properties.resourceType = [.collection] },
      self.member("/alice/book/e.ics") { $0.properties.contentType = "text/calendar" },
      self.member("/alice/book/plain") { $0.properties.contentType = "text/x-vcard; charset=utf-8" },
      self.member("/alice/book/odd.vcf") { $0.properties.contentType = "text/html" },
      self.member("/alice/book/weak") { $0.properties.entityTag = "W/\"w\"" },
      self.member("/alice/book/none") { $0.properties.entityTag = nil },
      DAVResponse(href: "/alice/book/locked", status: 423), DAVResponse(href: "/alice/book/left", status: 404),
      self.member("/alice/book/ok"),
    ]
    let listing = try self.listing(list)
    #expect(listing.extent == .whole)
    #expect(
      listing.cards.map { "\($0.href) \($0.fingerprint)" } == [
        "/alice/book/ok \"e\"", "/alice/book/plain \"e\"", "/alice/book/odd.vcf \"e\"", "/alice/book/weak \"w\"",
        "/alice/book/none ", "/alice/book/locked ",
      ])
    #expect(listing.gone.isEmpty)
  }

  @Test func aBookGoesByItsOwnName() throws {
    let renamed = self.book { $0.href = "http://inner:8080/dav/Alice/book/" }
    var list = renamed
    list.responses.append(self.member("/dav/Alice/book/a"))
    guard case .finished(let listing) = self.meet(pass(), [.success(renamed), .success(list)]) else {
      Issue.record("no listing")
      return
    }
    #expect(listing.extent == .whole)
    #expect(listing.cards.map(\.href.path) == ["/dav/Alice/book/a"])
  }

  @Test func anotherFormReadsAllAgain() throws {
    let known = CollectionState(mark: .token("t2"), listedAt: Self.start, form: .version3)
    let four = self.book { $0.properties.cardVersions = ["4.0"] }
    var list = four
    list.responses.append(self.member("/alice/book/a"))
    var nothing = DAVReply(status: 207)
    nothing.end.syncToken = "t2"
    let answers = [nothing, four, list].map { Result<DAVReply, DAVError>.success($0) }
    guard case .finished(let listing) = self.meet(pass(known, isWhole: true), answers) else {
      Issue.record("no listing")
      return
    }
    #expect(listing.form == .version4)
    #expect(listing.cards.map(\.fingerprint) == ["\"e\" 4.0"])
  }
}
