import EventLoop
import Glibc
import Testing
import ZeroMQ

/// A directory for one test, removed with its contents.
final class TemporaryDirectory {
  let runtime: RuntimeDirectory
  var path: String { runtime.path }

  init() throws {
    let name = String(UInt64.random(in: .min ... .max), radix: 36)
    runtime = try RuntimeDirectory(path: "/tmp/kz-\(name)")
  }

  deinit {
    if let directory = opendir(path) {
      while let entry = readdir(directory) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
          String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        unlink("\(path)/\(name)")
      }
      closedir(directory)
    }
    rmdir(path)
  }
}

extension Context {
  /// A socket with timeouts and without lingering.
  func makeTestSocket(_ kind: SocketKind) throws -> Socket {
    var socket = try makeSocket(kind)
    try socket.set(.linger, .zero)
    try socket.set(.sendTimeout, .seconds(60))
    try socket.set(.receiveTimeout, .seconds(60))
    return socket
  }

  /// Terminates on a separate thread, because it may wait for a socket that an event loop is about to close.
  func terminateOffPool() async {
    await withCheckedContinuation { done in
      let box = Terminator { [self] in
        terminate()
        done.resume()
      }
      var thread = pthread_t()
      pthread_create(
        &thread, nil,
        { argument in
          if let argument { Unmanaged<Terminator>.fromOpaque(argument).takeRetainedValue().body() }
          return nil
        }, Unmanaged.passRetained(box).toOpaque())
      pthread_detach(thread)
    }
  }
}

private final class Terminator: Sendable {
  let body: @Sendable () -> Void

  init(body: @escaping @Sendable () -> Void) {
    self.body = body
  }
}
