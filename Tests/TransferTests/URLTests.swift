import Testing
import Transfer

struct URLTests {
  @Test(
    "An address has one form",
    arguments: [
      ("HTTPS://Cloud.Example.ORG:443", "https://cloud.example.org/"),
      ("http://h:80/a", "http://h/a"),
      ("http://h:8080/a", "http://h:8080/a"),
      ("https://h/a/./b/../c?q=1&r#part", "https://h/a/c?q=1&r"),
      ("https://h?q", "https://h/?q"),
      ("https://h/a b?c d", "https://h/a%20b?c%20d"),
      ("https://h/ü", "https://h/%c3%bc"),
      ("https://h/sp%20ace%26%c3%bc.vcf", "https://h/sp%20ace%26%c3%bc.vcf"),
      ("https://[::1]:8443/", "https://[::1]:8443/"),
      ("http://0x7f.1/", "http://127.0.0.1/"),
    ])
  func form(_ text: String, _ expected: String) throws {
    let url = try WebURL(text)
    #expect(url.description == expected)
    #expect(try WebURL(expected) == url)
  }

  @Test func parts() throws {
    let url = try WebURL("https://Example.org/a/b%20c?x=1")
    #expect(url.origin.scheme == "https")
    #expect(url.origin.host == "example.org")
    #expect(url.origin.port == 443)
    #expect(url.origin.description == "https://example.org")
    #expect(url.path == "/a/b%20c")
    #expect(url.query == "x=1")
    #expect(try WebURL("https://example.org:444/").origin.description == "https://example.org:444")
  }

  @Test(
    "What is no http address is refused, with a reason that holds no secret",
    arguments: [
      "", "example.org", "ftp://h/", "file:///etc/passwd", "mailto:a@b", "https://", "https://h:99999/", "https://h:0/",
      "https://ann:s3cret@h/", "https://h/\u{1}", "https://bücher.example/", "https:h/x", "https://a b/",
    ])
  func refused(_ text: String) {
    let error = #expect(throws: TransferError.self) { try WebURL(text) }
    guard case .invalidURL? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(error?.description.contains("s3cret") == false)
  }

  @Test(
    "References are resolved as RFC 3986 section 5.4 has them",
    arguments: [
      ("g", "/b/c/g"), ("./g", "/b/c/g"), ("g/", "/b/c/g/"), ("/g", "/g"), ("?y", "/b/c/d;p?y"), ("g?y", "/b/c/g?y"),
      ("#s", "/b/c/d;p?q"), ("g#s", "/b/c/g"), ("g?y#s", "/b/c/g?y"), (";x", "/b/c/;x"), ("g;x", "/b/c/g;x"),
      ("", "/b/c/d;p?q"), (".", "/b/c/"), ("./", "/b/c/"), ("..", "/b/"), ("../", "/b/"), ("../g", "/b/g"),
      ("../..", "/"), ("../../", "/"), ("../../g", "/g"), ("../../../g", "/g"), ("../../../../g", "/g"),
      ("/./g", "/g"), ("/../g", "/g"), ("g.", "/b/c/g."), ("..g", "/b/c/..g"), ("./../g", "/b/g"),
      ("./g/.", "/b/c/g/"), ("g/./h", "/b/c/g/h"), ("g/../h", "/b/c/h"), ("g;x=1/../y", "/b/c/y"),
      ("g?y/./x", "/b/c/g?y/./x"), ("g?y/../x", "/b/c/g?y/../x"), ("sp ace", "/b/c/sp%20ace"),
    ])
  func resolving(_ reference: String, _ expected: String) throws {
    let base = try WebURL("http://a/b/c/d;p?q")
    #expect(try base.resolving(reference).description == "http://a\(expected)")
  }

  @Test func resolvingToOtherOrigins() throws {
    let base = try WebURL("https://a:8443/b")
    #expect(try base.resolving("/c").description == "https://a:8443/c")
    #expect(try base.resolving("//g/x").description == "https://g/x")
    #expect(try base.resolving("http://g:81").description == "http://g:81/")
    #expect(throws: TransferError.self) { try base.resolving("file:///etc/passwd") }
    #expect(throws: TransferError.self) { try base.resolving("https://u:p@a/") }
  }

  @Test(
    arguments: [
      ("http://localhost/", true), ("http://LOCALHOST:81/", true), ("http://127.0.0.1/", true),
      ("http://127.9.0.1/", true),
      ("http://[::1]/", true), ("http://127.0.0.1.example.org/", false), ("http://localhost.example.org/", false),
      ("http://10.0.0.1/", false), ("http://[::2]/", false), ("http://0.0.0.0/", false),
    ])
  func loopback(_ text: String, _ expected: Bool) throws {
    #expect(try WebURL(text).isLoopback == expected)
  }
}
