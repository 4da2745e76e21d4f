internal import EventLoop
internal import Glibc
public import KithMessages

/// Decides which files on the hub's disk a request may name. The ``Router`` applies it to every path of every request.
///
/// The hub reads the file that a request names and uses its content. Therefore only a client on the hub's own machine
/// may name a file, never one of kithd's own files, and a file with a secret only in the folders that the configuration
/// lists. A client on another machine sends the secret itself.
///
/// ```swift
/// let paths = HubPaths(own: ["/var/lib/kith"], secretFolders: ["/etc/kith/secrets"])
/// let router = Router(routes, journal: journal, contentKey: key, paths: paths, logger: logger)
/// ```
public struct HubPaths: Sendable {
  /// What a path names.
  public enum Kind: Sendable, Hashable {
    /// A password, token or secret key; allowed in the configured folders.
    case secret
    /// Certificates or cards; allowed anywhere except in kithd's own directories.
    case plain
    /// A program that a channel runs; the service that runs it checks it against a list of allowed programs.
    case program
  }

  /// A path in a request.
  struct Named: Sendable, Hashable {
    /// The field's name as in `proto/`.
    let field: String
    let path: String
    let kind: Kind
  }

  private static let limit = 4096

  private let own: [String]
  private let secretFolders: [String]

  /// Makes the rule.
  ///
  /// - Parameters:
  ///   - own: kithd's own directories; no request may name a file in them.
  ///   - secretFolders: The folders that may contain files with secrets.
  public init(own: [String] = [], secretFolders: [String] = []) {
    self.own = own
    self.secretFolders = secretFolders
  }

  /// Checks the paths of a command.
  ///
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID` for a path that is not absolute, `PERMISSION_DENIED/PATH_NOT_ALLOWED` for
  ///   one that this client may not name.
  func check(_ command: any Command, by principal: Principal) async throws(Failure) {
    guard let names = (command as? any NamesHubPaths)?.hubPaths.filter({ !$0.path.isEmpty }), !names.isEmpty else {
      return
    }
    for name in names { try Self.checkShape(name) }
    guard principal != .hub else { return }
    guard principal.isLocal else {
      throw Self.refused(
        names[0].field, "files of the hub's disk are named on the hub's own machine only; send a secret itself.")
    }
    // Resolving a path may block on a network file system.
    try await withTaskExecutorPreference(ThreadExecutor(name: "kith.paths")) { () async throws(Failure) in
      try await self.checkPlaces(names)
    }
  }

  /// Checks a file with a secret again when the secret is used: a version before this rule may have stored its path, or
  /// a link may lead elsewhere since.
  ///
  /// A path that cannot be resolved leads to no secret: reading it says why.
  ///
  /// - Parameters:
  ///   - path: A stored path; empty = none.
  ///   - field: The field's name as in `proto/`.
  /// - Throws: `PERMISSION_DENIED/PATH_NOT_ALLOWED` for a file in kithd's own directories.
  public func checkUse(of path: String, field: String) throws(Failure) {
    guard !path.isEmpty, let real = Self.resolved(path),
      self.own.contains(where: { Self.resolved($0).map { Self.isInside(real, $0) } ?? false })
    else { return }
    throw Self.refused(
      field,
      "kithd's own directories cannot be named. Put the file into a folder of `secrets.folders` and give it again: `kith channels login`, `kith contacts source login`; for a client key, remove the source and add it again."
    )
  }

  @concurrent
  private func checkPlaces(_ names: [Named]) async throws(Failure) {
    for name in names { try self.checkPlace(name) }
  }

  private static func checkShape(_ name: Named) throws(Failure) {
    guard name.path.hasPrefix("/"), name.path.utf8.count <= Self.limit, !name.path.utf8.contains(0) else {
      throw .invalid(field: name.field, "must be an absolute path on the hub's disk.")
    }
  }

  /// Resolves symbolic links first, so that no link leads out of an allowed folder or into kithd's own directories.
  private func checkPlace(_ name: Named) throws(Failure) {
    guard name.kind != .program else { return }
    guard let path = Self.resolved(name.path) else {
      throw Self.refused(name.field, "the folders on the way to it cannot be looked up.")
    }
    guard !self.own.contains(where: { Self.resolved($0).map { Self.isInside(path, $0) } ?? true }) else {
      throw Self.refused(name.field, "kithd's own directories cannot be named.")
    }
    guard name.kind == .secret else { return }
    guard self.secretFolders.contains(where: { Self.resolved($0).map { Self.isInside(path, $0) } ?? false }) else {
      let folders = self.secretFolders.joined(separator: ", ")
      throw Self.refused(
        name.field,
        "files with secrets may be in \(folders.isEmpty ? "no folder" : folders). Move the file there, or add its folder to secrets.folders of kithd's configuration."
      )
    }
  }

  /// Compares bytes, as the file system does: two equal texts in different Unicode forms are two files.
  private static func isInside(_ path: String, _ folder: String) -> Bool {
    (path + "/").utf8.starts(with: (folder == "/" ? "/" : folder + "/").utf8)
  }

  /// The path without symbolic links. A path that does not exist yet is resolved up to its existing folder.
  ///
  /// - Returns: nil if it cannot be resolved: no permission for a folder, or a dangling link.
  private static func resolved(_ path: String) -> String? {
    // The string outlives the call; the result of `realpath` is freed here.
    if let real = unsafe realpath(path, nil) {
      defer { unsafe free(real) }
      return unsafe String(cString: real)
    }
    guard errno == ENOENT else { return nil }
    var status = stat()
    // The string outlives the call; a successful call writes all of `status`.
    guard unsafe lstat(path, &status) != 0 else { return nil }
    let parts = path.split(separator: "/")
    guard let last = parts.last, last != "..", last != "." else { return nil }
    let parent = "/" + parts.dropLast().joined(separator: "/")
    return Self.resolved(parent).map { $0 == "/" ? "/\(last)" : "\($0)/\(last)" }
  }

  private static func refused(_ field: String, _ why: String) -> Failure {
    Failure(.permissionDenied, "PATH_NOT_ALLOWED", "\(field): \(why)", details: [field: why])
  }
}

/// A command that names files on the hub's disk.
///
/// The table in docs/protocol.md, section 7, lists each such field of `proto/`.
protocol NamesHubPaths {
  /// The paths, including empty ones.
  var hubPaths: [HubPaths.Named] { get }
}

extension AddSourceRequest: NamesHubPaths {
  var hubPaths: [HubPaths.Named] {
    switch self.kind {
    case .vdir(let vdir)?: [HubPaths.Named(field: "vdir.path", path: vdir.path, kind: .plain)]
    case .vcf(let vcf)?: [HubPaths.Named(field: "vcf.path", path: vcf.path, kind: .plain)]
    case .carddav(let account)?: account.hubPaths(in: "carddav")
    case nil: []
    }
  }
}

extension DiscoverRequest: NamesHubPaths {
  var hubPaths: [HubPaths.Named] { self.account.hubPaths(in: "account") }
}

extension CardDAV {
  fileprivate func hubPaths(in field: String) -> [HubPaths.Named] {
    [
      HubPaths.Named(field: "\(field).password_file", path: self.passwordFile, kind: .secret),
      HubPaths.Named(field: "\(field).ca_file", path: self.caFile, kind: .plain),
      HubPaths.Named(field: "\(field).client_certificate", path: self.clientCertificate, kind: .plain),
      HubPaths.Named(field: "\(field).client_key", path: self.clientKey, kind: .secret),
    ]
  }
}

extension SetCredentialsRequest: NamesHubPaths {
  var hubPaths: [HubPaths.Named] { [HubPaths.Named(field: "password_file", path: self.passwordFile, kind: .secret)] }
}

extension AddChannelRequest: NamesHubPaths {
  var hubPaths: [HubPaths.Named] {
    [
      HubPaths.Named(field: "channel.secret_file", path: self.channel.secretFile, kind: .secret),
      HubPaths.Named(field: "channel.ca_file", path: self.channel.caFile, kind: .plain),
      HubPaths.Named(field: "channel.command.program", path: self.channel.command.program, kind: .program),
    ]
  }
}

extension SetChannelCredentialsRequest: NamesHubPaths {
  var hubPaths: [HubPaths.Named] { [HubPaths.Named(field: "secret_file", path: self.secretFile, kind: .secret)] }
}

extension LoginRequest: NamesHubPaths {
  var hubPaths: [HubPaths.Named] {
    [
      HubPaths.Named(field: "token_file", path: self.tokenFile, kind: .secret),
      HubPaths.Named(field: "ca_file", path: self.caFile, kind: .plain),
    ]
  }
}
