internal import Bus
internal import KithMessages

/// A connected worker, as the hub knows it.
struct WorkerSession: Sendable {
  let peer: [UInt8]
  let name: String
  let instance: String
  let principal: String
  /// The services or methods that it offers and is approved for.
  let services: [String]
  let software: String
  let since: ContinuousClock.Instant
  var credit: UInt32
  var heardAt: ContinuousClock.Instant
  var isDraining = false

  /// Whether it runs jobs of a method such as `kith.v1.Transcriber/Transcribe`.
  func serves(_ method: String) -> Bool {
    self.services.contains { method == $0 || (method.hasPrefix($0) && method.dropFirst($0.utf8.count).first == "/") }
  }
}

/// The connected workers, by their routing ids, which are never shown.
struct WorkerTable: Sendable {
  private(set) var sessions: [[UInt8]: WorkerSession] = [:]

  subscript(peer: [UInt8]) -> WorkerSession? {
    get { self.sessions[peer] }
    set { self.sessions[peer] = newValue }
  }

  /// The connection of a worker process.
  func peer(of instance: String) -> [UInt8]? { self.sessions.values.first { $0.instance == instance }?.peer }

  /// Whether a worker that is not draining serves a method.
  func isServed(_ method: String) -> Bool {
    self.sessions.values.contains { !$0.isDraining && $0.serves(method) }
  }

  /// The worker with the most free slots for a method; nil if none has a free slot.
  func free(for method: String) -> WorkerSession? {
    self.sessions.values.filter { $0.credit > 0 && !$0.isDraining && $0.serves(method) }
      .max { ($0.credit, $1.name, $1.instance) < ($1.credit, $0.name, $0.instance) }
  }
}

/// The rights of a peer of the work plane.
struct WorkerApproval: Sendable, Hashable {
  /// The name of its principal.
  let principal: String
  /// The worker name that it must use; nil = any.
  let name: String?
  /// The services that it may run, such as `kith.v1.Transcriber`; nil = all.
  let services: Set<String>?

  /// The offered capabilities that it may run.
  func approved(_ capabilities: [Capability]) -> [String] {
    capabilities.map(\.name).filter { name in
      self.services.map { $0.contains(String(name.prefix { $0 != "/" })) } ?? true
    }
  }
}

extension AccessPolicy {
  /// The rights of the peer with this user id; nil if it is no worker.
  ///
  /// No other code decides this. Over ipc the user that runs the daemon may run all services.
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
