public import Bus
internal import KithMessages

/// Decides, by what a request says before its body, whether it is let in: size, `Host`, address, token, and whether a page of another
/// site sent it. A pure value.
///
/// ```swift
/// let admission = Admission(names: HostNames(["kith.home.arpa"]), isTLS: true)
/// let admitted = try admission.admit(head)
/// ```
public struct Admission: Sendable {
  /// A request that was let in.
  public struct Admitted: Sendable, Hashable {
    /// What it asks for.
    public let target: Target
    /// From where it comes.
    public let caller: Caller
    /// The token that it shows.
    public let credential: Credential?
    /// Whether its form has to have the token of a form, because nothing else says that a page of ours sent it.
    public let needsFormToken: Bool
  }

  /// The most bytes of a head.
  public static let largestHead = 16 << 10

  private let names: HostNames
  private let isTLS: Bool
  private let proxies: [AddressRange]

  /// Makes the rule.
  ///
  /// - Parameters:
  ///   - names: By which the door is reached.
  ///   - isTLS: Whether its connections are encrypted.
  ///   - proxies: From where `X-Forwarded-…` is believed.
  public init(names: HostNames, isTLS: Bool, proxies: [AddressRange] = []) {
    self.names = names
    self.isTLS = isTLS
    self.proxies = proxies
  }

  /// From where a request comes.
  public func caller(of head: RequestHead) -> Caller { Caller(of: head, isTLS: self.isTLS, proxies: self.proxies) }

  /// Lets a request in.
  ///
  /// - Throws: 431, 421, 404, 405, 401 or 403.
  public func admit(_ head: RequestHead) throws(Refusal) -> Admitted {
    guard head.size <= Self.largestHead else {
      throw Refusal(
        431,
        Failure(
          .invalidArgument, "HEADER_TOO_LARGE", "The head of the request has more than 16 KiB. Send fewer fields."))
    }
    let caller = self.caller(of: head)
    try self.names.check(caller.authority)
    let target = try Target(of: head)
    let credential = try Credential.find(in: head, caller.way)
    let needsFormToken = try Self.checkSite(head, target, caller, credential)
    guard credential != nil || !target.needsToken else { throw Refusal(401, Token.unknown) }
    return Admitted(target: target, caller: caller, credential: credential, needsFormToken: needsFormToken)
  }

  /// Refuses what a page of another site made a browser send. Returns whether only the token of a form can still tell.
  ///
  /// A browser says who made it send a request: in `Sec-Fetch-Site`, an older one in `Origin`. Programs say neither.
  private static func checkSite(
    _ head: RequestHead, _ target: Target, _ caller: Caller, _ credential: Credential?
  ) throws(Refusal) -> Bool {
    // The link alone lets in: cookies and tokens are not read.
    if case .reminderLink = target { return false }
    if target == .assistant {
      // A program sends its token itself; a page of another site that has one, too, is kept away all the same.
      guard credential?.isCookie != true else { throw Refusal(401, Token.unknown) }
      guard head.fields["origin"] == nil || head.field("origin")?.lowercased() == caller.origin.lowercased() else {
        throw Self.otherSite
      }
      return false
    }
    if let credential, !credential.isCookie { return false }
    let site = head.field("sec-fetch-site")?.lowercased()
    if head.isSafe {
      guard let site, credential != nil, !target.isPage else { return false }
      // "none": typed into the address bar.
      guard site == "same-origin" || site == "none" else { throw Self.otherSite }
      return false
    }
    if let site {
      guard site == "same-origin" else { throw Self.otherSite }
      return false
    }
    if head.fields["origin"] != nil {
      guard head.field("origin")?.lowercased() == caller.origin.lowercased() else { throw Self.otherSite }
      return false
    }
    guard credential != nil || target == .pair else { return false }
    switch target {
    case .pair, .leave, .form: return true
    case .method, .events, .blob, .voice, .assistant, .reminderLink, .page, .health, .findings, .metrics, .description,
      .file,
      .authority:
      throw Self.otherSite
    }
  }

  private static let otherSite = Refusal(
    403,
    Failure(
      .permissionDenied, "OTHER_SITE",
      "A page of another site sent this request. Open kith-web itself; a program sends its token in Authorization."))
}
