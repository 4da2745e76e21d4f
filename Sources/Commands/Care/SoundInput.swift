internal import Bus
internal import Dispatch
internal import Glibc

/// A source of sound.
protocol SoundInput: Sendable {
  /// The next piece; nil at the end.
  ///
  /// - Throws: `NOT_FOUND/FILE_UNREADABLE`.
  func next() async throws(Failure) -> [UInt8]?

  /// Ends the sound early.
  func end()

  /// Ends the sound, and waits until the program that makes it has ended.
  func finish() async
}

/// Sound from a descriptor: a file, a pipe, standard input. It ends with its bytes, or at ``end()``.
final class SoundStream: SoundInput {
  private let descriptor: Int32
  private let path: String
  private let size: Int
  /// A pipe that becomes readable at ``end()``.
  private let stop: (reader: Int32, writer: Int32)

  /// Reads a file; `-` is standard input.
  ///
  /// - Throws: `NOT_FOUND/FILE_UNREADABLE`.
  convenience init(path: String) throws(Failure) {
    self.init(try InputFile.open(path), named: path, size: 256 << 10)
  }

  /// Takes ownership of a descriptor.
  ///
  /// - Parameter size: The most bytes of a piece.
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
        // Reading blocks, so it must not occupy a thread of the shared pool.
        DispatchQueue.global().async { waiter.resume(returning: self.read()) }
      }
    } onCancel: {
      self.end()
    }
    return try result.get()
  }

  func end() { _ = Console.write([1], to: self.stop.writer) }

  func finish() async { self.end() }

  /// Reads a full piece, or what is left before the end.
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
