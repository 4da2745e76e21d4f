internal import Bus
internal import EventLoop
internal import Foundation
internal import KithMessages

/// A certificate and its key in PEM files, which are read again when they change.
final class CertificateStore: Sendable {
  /// A certificate as it is served.
  struct Served: Sendable {
    let chainPEM: [UInt8]
    let keyPEM: [UInt8]
    /// Differs for each certificate.
    let generation: Int
  }

  private let paths: [String]
  private let served: Lock<Served>

  /// Reads both files.
  ///
  /// - Throws: `FAILED_PRECONDITION/CERTIFICATE_UNUSABLE`.
  init(certificate: String, key: String) throws(Failure) {
    self.paths = [certificate, key]
    self.served = Lock(Served(chainPEM: try Self.read(certificate), keyPEM: try Self.read(key), generation: 0))
  }

  /// What new connections get.
  var current: Served { self.served.withLock { $0 } }

  /// Reads the files again. Returns what is wrong with them, in words; the earlier certificate is served then.
  func refresh() -> String? {
    do throws(Failure) {
      let (chain, key) = (try Self.read(self.paths[0]), try Self.read(self.paths[1]))
      self.served.withLock { served in
        guard chain != served.chainPEM || key != served.keyPEM else { return }
        served = Served(chainPEM: chain, keyPEM: key, generation: served.generation + 1)
      }
      return nil
    } catch {
      return error.message
    }
  }

  private static func read(_ path: String) throws(Failure) -> [UInt8] {
    guard let data = FileManager.default.contents(atPath: path), !data.isEmpty else {
      throw Failure(.failedPrecondition, "CERTIFICATE_UNUSABLE", "\(path) cannot be read, or is empty.")
    }
    return Array(data)
  }
}
