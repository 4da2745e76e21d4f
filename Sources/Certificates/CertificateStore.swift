public import Bus
internal import EventLoop
internal import Foundation

/// The certificate that a server presents now. It follows changes of its files, and renews a certificate of its own authority.
///
/// ```swift
/// let store = try CertificateStore(.files(certificate: "/etc/kith/cert.pem", key: "/etc/kith/key.pem"))
/// // Every ten seconds, and on SIGHUP:
/// let fault = store.refresh()
/// ```
public final class CertificateStore: Sendable {
  /// Where the certificate comes from.
  public enum Source: Sendable {
    /// Files that another program renews, such as tailscale, Caddy or certbot.
    case files(certificate: String, key: String)
    /// An authority of the household.
    case authority(Authority)
  }

  private struct State {
    var served: ServedCertificate
    /// The state of the files that were read last, good or not.
    var seen: [FileState]
    /// Why the files that were read last were not taken; nil = they were.
    var refusal: String?
  }

  /// What tells that a file was replaced.
  private struct FileState: Hashable {
    var modified: Date?
    var size: Int?
    var inode: Int?
    var isFile = false

    init(_ path: String) {
      // A link is followed: certbot replaces links.
      let path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
      let attributes = try? FileManager.default.attributesOfItem(atPath: path)
      self.modified = attributes?[.modificationDate] as? Date
      self.size = attributes?[.size] as? Int
      self.inode = attributes?[.systemFileNumber] as? Int
      self.isFile = attributes?[.type] as? FileAttributeType == .typeRegular
    }
  }

  private let source: Source
  private let clock: @Sendable () -> Int64
  private let state: Lock<State>

  /// Reads or makes the certificate.
  ///
  /// - Parameter clock: Nanoseconds since 1970.
  /// - Throws: `FAILED_PRECONDITION` with `CERTIFICATE_UNUSABLE`, `SECRET_UNREADABLE` or `SECRET_NOT_KEPT`.
  public init(_ source: Source, clock: @escaping @Sendable () -> Int64 = WallClock.nanoseconds) throws(Failure) {
    self.source = source
    self.clock = clock
    let seen = Self.fileStates(of: source)
    let served = try Self.read(source, now: clock())
    self.state = Lock(State(served: served, seen: seen))
  }

  /// The certificate for new connections.
  public var current: ServedCertificate { self.state.withLock { $0.served } }

  /// Takes over changed files if they can be used, or renews the certificate of the own authority. If that fails, the present
  /// certificate stays.
  ///
  /// - Returns: What a person has to mend; nil = nothing.
  @discardableResult
  public func refresh() -> String? {
    let now = self.clock()
    let seen = Self.fileStates(of: self.source)
    let isNew = self.state.withLock { state in
      defer { state.seen = seen }
      return state.seen != seen
    }
    if case .files = self.source, !isNew { return self.fault(now: now) }
    do throws(Failure) {
      var served = try Self.read(self.source, now: now)
      self.state.withLock { state in
        served.generation = state.served.generation
        if served != state.served { served.generation += 1 }
        state.served = served
        state.refusal = nil
      }
    } catch {
      self.state.withLock { $0.refusal = "\(error.message) The earlier one is still in use." }
    }
    return self.fault(now: now)
  }

  /// Everything that is wrong now. Dates are compared each time: time passes, and a clock is set right.
  private func fault(now: Int64) -> String? {
    let (served, refusal) = self.state.withLock { ($0.served, $0.refusal) }
    var faults = [refusal, Self.fault(of: served, now: now)]
    if case .authority(let authority) = self.source { faults.append(authority.fault) }
    let words = faults.compactMap { $0 }
    return words.isEmpty ? nil : words.joined(separator: " ")
  }

  private static func read(_ source: Source, now: Int64) throws(Failure) -> ServedCertificate {
    switch source {
    case .authority(let authority): return try authority.leaf(now: now)
    case .files(let certificate, let key):
      return try ServedCertificate(
        chainPEM: try Self.bytes(of: certificate), keyPEM: try Self.bytes(of: key), from: certificate)
    }
  }

  private static func bytes(of path: String) throws(Failure) -> [UInt8] {
    let file = FileState(path)
    guard file.isFile, file.size ?? 0 <= 1 << 20, let data = FileManager.default.contents(atPath: path) else {
      throw .unusableCertificate(path, "it cannot be read. Check the path and its permissions")
    }
    return Array(data)
  }

  private static func fileStates(of source: Source) -> [FileState] {
    guard case .files(let certificate, let key) = source else { return [] }
    return [FileState(certificate), FileState(key)]
  }

  private static func fault(of served: ServedCertificate, now: Int64) -> String? {
    if now >= served.expires {
      return "The certificate has expired: browsers refuse it. Renew it; kith-web takes the new file by itself."
    }
    return now < served.begins ? "The certificate is not valid yet. Check the clock of this machine." : nil
  }
}
