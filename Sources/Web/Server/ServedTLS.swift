internal import Bus
internal import Certificates
internal import EventLoop
internal import Foundation
internal import HummingbirdHTTP2
internal import KithMessages
internal import NIOCore
internal import NIOSSL

/// The certificate of new connections, which changes while the door runs.
final class ServedTLS: Sendable {
  private struct Parsed: Sendable {
    var generation = -1
    var override = NIOSSLContextConfigurationOverride.noChanges
  }

  private let store: CertificateStore
  private let parsed = Lock(Parsed())

  init(_ store: CertificateStore) { self.store = store }

  /// The settings of a server, which ask for the present certificate at each handshake.
  ///
  /// - Throws: `FAILED_PRECONDITION/CERTIFICATE_UNUSABLE`.
  func configuration() throws(Failure) -> TLSConfiguration {
    let first = try self.present()
    guard let chain = first.certificateChain, let key = first.privateKey else { throw Self.unusable("it is empty") }
    var configuration = TLSConfiguration.makeServerConfiguration(certificateChain: chain, privateKey: key)
    configuration.minimumTLSVersion = .tlsv12
    // A peer that does not say goodbye may not delay the end of the process.
    configuration.shutdownTimeout = .milliseconds(300)
    configuration.sslContextCallback = { [self] _, promise in
      promise.completeWith(Result { try self.present() })
    }
    return configuration
  }

  /// The present certificate; parsed once.
  private func present() throws(Failure) -> NIOSSLContextConfigurationOverride {
    let served = self.store.current
    let known = self.parsed.withLock { $0 }
    guard known.generation != served.generation else { return known.override }
    var override = NIOSSLContextConfigurationOverride()
    do {
      override.certificateChain = try NIOSSLCertificate.fromPEMBytes(served.chainPEM).map { .certificate($0) }
      override.privateKey = .privateKey(try NIOSSLPrivateKey(bytes: served.keyPEM, format: .pem))
    } catch {
      throw Self.unusable("\(error)")
    }
    self.parsed.withLock { [override] in $0 = Parsed(generation: served.generation, override: override) }
    return override
  }

  private static func unusable(_ why: String) -> Failure {
    Failure(.failedPrecondition, "CERTIFICATE_UNUSABLE", "The certificate cannot be used: \(why).")
  }
}
