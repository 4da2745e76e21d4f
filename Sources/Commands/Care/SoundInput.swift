internal import Bus
internal import Dispatch
internal import Glibc

/// Where sound comes from.
protocol SoundInput: Sendable {
  /// The next piece; nil at the end.
  ///
  /// - Throws: `NOT_FOUND/FILE_UNREADABLE`.
  func next() async throws(Failure) -> [UInt8]?

  /// Has it come to its end now.
  func end()

  /// Ends it, and waits until nothing is left of what makes it.
  func finish() async
}

/// Sound from a descriptor: a file, a pipe, standard input. It ends where the bytes end, or when it is no longer wanted.
final class SoundStream: SoundInput {
  private let descriptor: Int32
  private let path: String
  private let size: Int
  /// A pipe that has a byte when the sound is no longer wanted.
  private let stop: (reader: Int32, writer: Int32)

  /// Reads a file; `-` is standard input.
  ///
  /// - Throws: `NOT_FOUND/FILE_UNREADABLE`.
  convenience init(path: String) throws(Failure) {
    self.init(try InputFile.open(path), named: path, size: 256 << 10)
  }

  /// Takes a descriptor over.
  ///
  /// - Parameter size: Bytes of a piece, at most.
  init(_ descriptor: Int32, named path: String, size: Int) {
    self.descriptor = descriptor
    self.path = path
    self.size = size
    var ends: [Int32] = [-1, -1]
    if pipe(&ends) == 0 { for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) } }
    self.stop = (ends[0], ends[1])
  }

  deinit {
    for descriptor in [self.descriptor, self.stop.reader, self.stop.writer] { close(descriptor) }
  }

  func next() async throws(Failure) -> [UInt8]? {
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        // Reading waits for the microphone, so it is not done on the shared pool.
        DispatchQueue.global().async { waiter.resume(returning: self.read()) }
      }
    } onCancel: {
      self.end()
    }
    return try result.get()
  }

  func end() { _ = Console.write([1], to: self.stop.writer) }

  func finish() async { self.end() }

  /// A full piece, or what there was before the end.
  private func read() -> Result<[UInt8]?, Failure> {
    var piece: [UInt8] = []
    do throws(Failure) {
      while piece.count < self.size {
        var items = [self.descriptor, self.stop.reader].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        guard poll(&items, 2, -1) > 0 else { continue }
        if items[1].revents != 0 { break }
        let bytes = try InputFile.piece(of: self.descriptor, named: self.path, self.size - piece.count)
        guard !bytes.isEmpty else { break }
        piece += bytes
      }
      return .success(piece.isEmpty ? nil : piece)
    } catch {
      return .failure(error)
    }
  }
}
