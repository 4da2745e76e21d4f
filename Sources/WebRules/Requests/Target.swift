internal import Bus
internal import Digest
public import KithMessages
public import Pages

/// What a path leads to.
///
/// ```swift
/// try Target(of: RequestHead(verb: "POST", target: "/kith.v1.Care/List", authority: "localhost", peer: ""))  // .method(…)
/// ```
public enum Target: Sendable, Hashable {
  /// A method of the hub.
  case method(Method)
  /// `/events`: events as they happen.
  case events
  /// `/blobs/SHA256`.
  case blob(String)
  /// `/care/voice`: a spoken entry.
  case voice
  /// `/pair`.
  case pair
  /// `/leave`.
  case leave
  /// A page of the family: `/` and others.
  case page(PageAddress)
  /// `/forms/kith.v1.SERVICE/METHOD`: a method of the hub, by a form of a page.
  case form(Method)
  /// `/mcp`: tools of assistants.
  case assistant
  /// `/remind/LINK`: what a message about a reminder offers to do.
  case reminderLink(String)
  /// `/healthz`.
  case health
  /// `/healthz/findings`: what needs a person.
  case findings
  /// `/metrics`.
  case metrics
  /// `/api/openapi.json`.
  case description
  /// A file of the pages: its name.
  case file(String)
  /// `/ca`, `/ca.crt` and `/ca.mobileconfig`: the own certificate authority, which devices install.
  case authority(AuthorityForm)

  /// The forms of the own certificate authority.
  public enum AuthorityForm: Sendable, Hashable {
    /// A page that says how to install it.
    case page
    /// The certificate as DER, as Android and most programs take it.
    case certificate
    /// A profile for iPhones and iPads.
    case profile
  }

  /// Finds what a request is for.
  ///
  /// - Throws: 404 for a path that leads nowhere; 405 if the method of HTTP is not one of its own.
  public init(of head: RequestHead) throws(Refusal) {
    self = try Self.target(of: head.path)
    guard !self.verbs.contains(head.verb) else { return }
    throw Refusal(
      405,
      Failure(
        .unimplemented, "METHOD_NOT_ALLOWED", "\(head.path) is asked for by \(self.verbs.joined(separator: ", "))."),
      fields: ["Allow": self.verbs.joined(separator: ", ")])
  }

  /// The methods of HTTP by which it is asked for.
  public var verbs: [String] {
    switch self {
    case .method(let method): method.isRead ? ["POST", "GET"] : ["POST"]
    case .blob: ["GET", "HEAD", "PUT"]
    case .voice, .leave, .form, .assistant, .reminderLink: ["POST"]
    case .pair: ["GET", "HEAD", "POST"]
    case .events: ["GET"]
    case .page, .health, .findings, .metrics, .description, .file, .authority: ["GET", "HEAD"]
    }
  }

  /// Whether a device has to show its token.
  public var needsToken: Bool {
    switch self {
    case .method, .form, .events, .blob, .voice, .leave, .assistant, .findings, .metrics: true
    case .pair, .page, .reminderLink, .health, .description, .file, .authority: false
    }
  }

  /// Whether it is answered by what the hub says to the token: all that need one, and the pages, which say so themselves where it is absent.
  public var usesToken: Bool {
    if case .page = self { true } else { self.needsToken }
  }

  /// Whether it is a page, to which a link of another site may lead.
  public var isPage: Bool {
    switch self {
    case .page, .pair, .file, .health, .description, .authority: true
    case .method, .form, .events, .blob, .voice, .leave, .assistant, .reminderLink, .findings, .metrics: false
    }
  }

  /// The word for it in metrics.
  public var word: String {
    switch self {
    case .method: "method"
    case .events: "events"
    case .blob: "blob"
    case .voice: "voice"
    case .pair: "pair"
    case .leave: "leave"
    case .page, .file, .authority: "page"
    case .form: "form"
    case .assistant: "mcp"
    case .reminderLink: "remind"
    case .health, .findings: "health"
    case .metrics: "metrics"
    case .description: "description"
    }
  }

  private static func target(of path: String) throws(Refusal) -> Target {
    switch path {
    case "/events": return .events
    case "/care/voice": return .voice
    case "/pair": return .pair
    case "/leave": return .leave
    case "/mcp": return .assistant
    case "/healthz": return .health
    case "/healthz/findings": return .findings
    case "/metrics": return .metrics
    case "/api/openapi.json": return .description
    case "/ca": return .authority(.page)
    case "/ca.crt": return .authority(.certificate)
    case "/ca.mobileconfig": return .authority(.profile)
    // Asked for by browsers and programs that have not read a page.
    case "/favicon.ico": return .file("icon.svg")
    case "/sw.js", "/manifest.webmanifest": return .file(String(path.dropFirst()))
    case _ where path.hasPrefix("/files/"): return .file(String(path.dropFirst("/files/".count)))
    case _ where path.hasPrefix("/blobs/"):
      let name = String(path.dropFirst("/blobs/".count))
      guard SHA256.bytes(named: name) != nil else {
        throw Refusal(400, .invalid(field: "sha256", SHA256.rule))
      }
      return .blob(name)
    case _ where path.hasPrefix("/remind/"): return .reminderLink(String(path.dropFirst("/remind/".count)))
    case _ where path.hasPrefix("/kith.v1."): return .method(try Self.method(path.dropFirst()))
    case _ where path.hasPrefix("/forms/"): return .form(try Self.method(path.dropFirst("/forms/".count)))
    default:
      if let page = PageAddress(path: path) { return .page(page) }
      throw Refusal(404, Failure(.notFound, "PAGE_UNKNOWN", "There is nothing at this address. See docs/http.md."))
    }
  }

  private static func method(_ name: Substring) throws(Refusal) -> Method {
    guard let method = Self.methods[String(name)] else {
      throw Refusal(
        404,
        Failure(.unimplemented, "SERVICE_UNKNOWN", "There is no method \(name.prefix(128)). See docs/services.md."))
    }
    return method
  }

  /// Those that a device may call. A method of workers is for workers alone.
  private static let methods = Dictionary(
    Methods.all.filter { $0.role != .worker }.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
}

extension Method {
  /// Whether it changes nothing, so that a link may call it: `GET`.
  ///
  /// Methods of admins are left out, and those that act without storing anything.
  public var isRead: Bool {
    !self.isMutating && (self.isOpen || self.role == .viewer) && self != Methods.systemCancel
      && self != Methods.contactsTestSource
  }
}

extension Target {
  /// Whether a request for it counts as a write, of which a device may send so many.
  public func isWrite(_ verb: String) -> Bool {
    switch self {
    case .method(let method), .form(let method): method.isMutating
    case .blob: verb == "PUT"
    case .voice, .leave, .assistant, .reminderLink: true
    case .events, .pair, .page, .health, .findings, .metrics, .description, .file, .authority: false
    }
  }
}
