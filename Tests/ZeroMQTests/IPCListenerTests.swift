import Glibc
import Testing
import ZeroMQ

struct IPCListenerTests {
  private let directory: TemporaryDirectory
  private let endpoint: IPCEndpoint

  init() throws {
    self.directory = try TemporaryDirectory()
    self.endpoint = try self.directory.runtime.endpoint("listener.sock")
  }

  @Test("it is for its owner only, and takes connections")
  func listens() throws {
    let listener = try IPCListener(self.endpoint)
    var status = stat()
    #expect(lstat(self.endpoint.path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    let before = try self.connections(of: listener)
    #expect(before == 0)
    #expect(self.endpoint.reach() == .listening)
    // The one that reached it, which has gone.
    let after = try self.connections(of: listener)
    #expect(after == 1)
  }

  @Test("the socket of a process that has ended gives way, another one does not")
  func occupied() throws {
    do { _ = try IPCListener(self.endpoint) }
    #expect(self.endpoint.reach() == .absent, "the file stays, as after a kill")
    let listener = try IPCListener(self.endpoint)
    #expect(throws: IPCError.occupied(path: self.endpoint.path)) { _ = try IPCListener(self.endpoint) }
    let count = try self.connections(of: listener)
    #expect(count == 1, "the question whether it listens")
  }

  /// How many wait.
  private func connections(of listener: borrowing IPCListener) throws -> Int {
    var count = 0
    while let connection = try listener.accept() {
      close(connection)
      count += 1
    }
    return count
  }

  @Test("what is no socket stays, and a folder that is gone is told")
  func refused() throws {
    close(open(self.endpoint.path, O_CREAT | O_WRONLY, 0o600))
    #expect(throws: IPCError.notASocket(path: self.endpoint.path)) { _ = try IPCListener(self.endpoint) }
    #expect(access(self.endpoint.path, F_OK) == 0)
    let nowhere = "\(self.directory.path)/gone/x.sock"
    #expect(throws: IPCError.system(call: "bind", path: nowhere, code: ENOENT)) {
      _ = try IPCListener(IPCEndpoint(path: nowhere))
    }
  }
}
