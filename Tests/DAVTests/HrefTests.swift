import DAV
import TestKit
import Testing

@Suite struct HrefTests {
  static let book = path("/alice/book/")

  /// Each line is one resource in the spellings of several servers.
  @Test(arguments: [
    "/alice/book/sp%20ace%26%C3%BC.vcf", "/alice/book/sp%20ace%26%c3%bc.vcf", "/alice/book/sp ace&ü.vcf",
    "http://127.0.0.1:5232/alice/book/sp%20ace&%C3%BC.vcf", "HTTPS://inner.example/alice/book/sp%20ace%26ü.vcf",
    "//other/alice/book/sp%20ace%26%C3%BC.vcf", "sp%20ace%26%C3%BC.vcf", "./sp%20ace%26%C3%BC.vcf",
    "/alice/%62ook/sp%20ace%26%C3%BC.vcf", "/alice//book/sp%20ace%26%C3%BC.vcf", "/alice/x/../book/sp ace%26ü.vcf",
    "/alice/book/sp%20ace%26%C3%BC.vcf?version=2", "/alice/book/sp%20ace%26%C3%BC.vcf#top",
    "http%3A//127.0.0.1%3A8089/alice/book/sp%20ace%26%C3%BC.vcf",
    "http%3a//127.0.0.1%3a8089/alice/book/sp%2520ace%2526%25C3%25BC.vcf",
  ])
  func spellingsAreOne(_ text: String) throws {
    let href = try #require(Href(text, in: Self.book))
    #expect(href.path == "/alice/book/sp%20ace%26%C3%BC.vcf")
    #expect(href.isChild(of: Self.book))
  }

  @Test(arguments: [
    ("/alice/book", "/alice/book"), ("/alice/book/", "/alice/book"), ("/", "/"), ("http://host", "/"), ("", nil),
    ("a.vcf", nil), ("/a%2Fb", "/a%2Fb"), ("/100%", "/100%25"), ("/%zz%4", "/%25zz%254"), ("/../../a", "/a"),
    ("/%2e%2E/a", "/a"), ("/a+b@c", "/a%2Bb%40c"), ("/%+1", "/%25%2B1"),
  ])
  func paths(_ text: String, _ path: String?) { #expect(Href(text)?.path == path) }

  @Test func membersAreDirect() throws {
    let root = try #require(Href("/"))
    for (text, isChild) in [
      ("/alice/book/a", true), ("/alice/book", false), ("/alice/book/a/b", false), ("/alice/bookmark", false),
      ("/alice", false),
      ("/alice/book/../a", false),
    ] { #expect(try #require(Href(text)).isChild(of: Self.book) == isChild, "\(text)") }
    #expect(Self.book.isChild(of: root) == false)
    #expect(try #require(Href("/a")).isChild(of: root))
    #expect(!root.isChild(of: root))
  }

  /// The canonical form of a canonical path is the path itself.
  @Test func canonicalIsFinal() throws {
    var random = SeededGenerator(seed: 11)
    let alphabet = Array("/%2fF.aä?# &".unicodeScalars)
    for _ in 0..<5000 {
      let text =
        "/"
        + String(
          String.UnicodeScalarView(
            (0..<Int.random(in: 0...12, using: &random)).map { _ in alphabet.randomElement(using: &random)! }))
      let once = try #require(Href(text))
      #expect(Href(once.path) == once)
    }
  }

  /// Plain paths are used as they are; a question mark makes the parser look more closely, and its query is ignored.
  @Test func plainPathsAreWhatACloserLookMakesOfThem() {
    var random = SeededGenerator(seed: 12)
    let alphabet = Array("abZ0.-_~/:%")
    let collections = [nil, Href("/"), Self.book]
    for _ in 0..<20_000 {
      let text = String(
        (0..<Int.random(in: 0...10, using: &random)).map { _ in alphabet.randomElement(using: &random)! })
      for collection in collections {
        #expect(Href(text, in: collection) == Href(text + "?", in: collection), "\(text)")
      }
    }
  }
}
