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
