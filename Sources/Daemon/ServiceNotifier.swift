internal import Glibc

/// Reports the daemon's state to systemd with sd_notify(3) datagrams.
///
/// Does nothing without `NOTIFY_SOCKET` in the environment.
///
/// ```swift
/// ServiceNotifier(environment: ProcessInfo.processInfo.environment).ready()
/// ```
package struct ServiceNotifier: Sendable {
  private let path: String?

  /// Reads the socket's address from the environment.
  package init(environment: [String: String]) {
    let path = environment["NOTIFY_SOCKET"]
    self.path = path.flatMap { $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil }
  }

  /// Reports that the daemon answers commands.
  package func ready() { self.send("READY=1\n") }

  /// Reports that the daemon is stopping.
  package func stopping() { self.send("STOPPING=1\n") }

  private func send(_ state: String) {
    guard let path else { return }
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var bytes = Array(path.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
    // An abstract address begins with NUL, written "@" in the variable.
    if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = sendto(descriptor, state, state.utf8.count, Int32(MSG_NOSIGNAL), $0, length)
      }
    }
  }
}
