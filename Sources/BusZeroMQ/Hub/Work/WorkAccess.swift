internal import Bus
internal import KithMessages

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
