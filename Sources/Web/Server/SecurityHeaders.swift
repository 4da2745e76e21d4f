internal import HTTPTypes
internal import Hummingbird

/// The fields that every answer has: what a page may load and do, that nobody keeps data, and that the house gave it.
///
/// An answer that says that nothing changed gets the last alone: what its reader keeps has those with which it came (RFC 9111, 3.2).
enum SecurityHeaders {
  private static let policy = """
    default-src 'none'; script-src 'self'; style-src 'self' \(PageStyle.source); img-src 'self' data: blob:; media-src 'self' blob:; \
    connect-src 'self'; manifest-src 'self'; worker-src 'self'; frame-ancestors 'none'; base-uri 'none'; \
    form-action 'self'; require-trusted-types-for 'script'; trusted-types kith
    """

  private static let fields: [HTTPField] = [
    ("Content-Security-Policy", policy),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Permissions-Policy", "microphone=(self), camera=(), geolocation=()"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("X-Frame-Options", "DENY"),
  ].compactMap { name, value in HTTPField.Name(name).map { HTTPField(name: $0, value: value) } }

  /// The login page of a network, or the refusal of a proxy, has no such field: a page tells by it who answered.
  private static let house = HTTPField.Name("Kith-House")

  /// Adds them to an answer that does not say otherwise.
  static func add(to response: inout Response) {
    if response.status != .notModified {
      for field in Self.fields where !response.headers.contains(field.name) { response.headers.append(field) }
    }
    if let house { response.headers[house] = "true" }
    if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
  }
}
