internal import Foundation
internal import Transfer

/// The address of a server's API. Every URL is made here: those in the server's answers omit query arguments, and have
/// the scheme and host that the server believes to be its own.
struct MonicaAddress: Hashable, Sendable {
  /// `https://HOST[/PATH]/api`.
  private let root: WebURL

  /// Parses the address of a server, without `/api`.
  ///
  /// - Throws: `invalidURL`, also for an address with a query. Plain http to another machine is refused when it is
  ///   used.
  init(_ endpoint: String) throws(TransferError) {
    var text = endpoint[...]
    while text.hasSuffix("/") { text.removeLast() }
    if text.hasSuffix("/api") { text.removeLast(4) }
    let url = try WebURL("\(text)/api")
    guard url.query == nil else { throw .invalidURL("it has a query") }
    self.root = url
  }

  /// The URL of a path below `/api`.
  ///
  /// - Parameter arguments: The query; escaped here.
  func url(_ path: String, _ arguments: [(name: String, value: String)] = []) throws(TransferError) -> WebURL {
    let query = arguments.map { "\($0.name)=\(Self.escaped($0.value))" }.joined(separator: "&")
    return try WebURL("\(self.root)/\(path)\(query.isEmpty ? "" : "?\(query)")")
  }

  private static func escaped(_ value: String) -> String {
    value.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(CharacterSet(charactersIn: "-._~"))) ?? ""
  }
}
