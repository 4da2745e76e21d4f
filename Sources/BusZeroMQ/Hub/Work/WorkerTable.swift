internal import Bus
internal import KithMessages

/// A connected worker, as the hub knows it.
struct WorkerSession: Sendable {
  let peer: [UInt8]
  let name: String
  let instance: String
  let principal: String
  /// Services, or single methods, that it offers and is approved for.
  let services: [String]
  let software: String
  let since: ContinuousClock.Instant
  var credit: UInt32
  var heardAt: ContinuousClock.Instant
  var isDraining = false

  /// Whether it takes jobs of a method: `kith.v1.Transcriber/Transcribe`.
  func serves(_ method: String) -> Bool {
    self.services.contains { method == $0 || (method.hasPrefix($0) && method.dropFirst($0.utf8.count).first == "/") }
  }
}

/// The workers that are connected, by their routing ids, which are never shown to anybody.
struct WorkerTable: Sendable {
  private(set) var sessions: [[UInt8]: WorkerSession] = [:]

  subscript(peer: [UInt8]) -> WorkerSession? {
    get { self.sessions[peer] }
    set { self.sessions[peer] = newValue }
  }

  /// The connection of a process.
  func peer(of instance: String) -> [UInt8]? { self.sessions.values.first { $0.instance == instance }?.peer }

  /// Whether any worker that goes on serves a method.
  func isServed(_ method: String) -> Bool {
    self.sessions.values.contains { !$0.isDraining && $0.serves(method) }
  }

  /// The worker with the most free slots for a method; nil when none has one.
  func free(for method: String) -> WorkerSession? {
    self.sessions.values.filter { $0.credit > 0 && !$0.isDraining && $0.serves(method) }
      .max { ($0.credit, $1.name, $1.instance) < ($1.credit, $0.name, $0.instance) }
  }
}

/// What a peer of the work plane may serve.
struct WorkerApproval: Sendable, Hashable {
  /// Whom it connects as.
  let principal: String
  /// The name that it has to use; nil = any.
  let name: String?
  /// The services that it may serve, such as `kith.v1.Transcriber`; nil = all.
  let services: Set<String>?

  /// Those of the offered capabilities that it may serve.
  func approved(_ capabilities: [Capability]) -> [String] {
    capabilities.map(\.name).filter { name in
      self.services.map { $0.contains(String(name.prefix { $0 != "/" })) } ?? true
    }
  }
}

extension AccessPolicy {
  /// What the peer with a user id may serve; nil = it is no worker.
  ///
  /// The one place where this is decided. Over ipc the user that runs the daemon may serve everything.
  func approval(userID: String) -> WorkerApproval? {
    guard let principal = self.principal(userID: userID) else { return nil }
    switch principal.role {
    case .admin: return WorkerApproval(principal: principal.name, name: nil, services: nil)
    case .worker:
      let name = principal.name.split(separator: ":", maxSplits: 1).last.map(String.init)
      return WorkerApproval(principal: principal.name, name: name, services: principal.services)
    default: return nil
    }
  }
}
