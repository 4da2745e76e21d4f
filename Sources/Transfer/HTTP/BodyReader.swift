internal import Glibc

/// Reads the body of a request, and can start again.
struct BodyReader: ~Copyable {
  private let body: RequestBody
  /// The bytes of the body; nil if unknown.
  let length: Int?
  private var offset = 0
  /// The file; -1 if there is none. Closed in `deinit`.
  private let descriptor: Int32
  private var nextPiece: (() throws -> [UInt8]?)?
  private var piece: ArraySlice<UInt8> = []

  /// Opens the body.
  ///
  /// - Throws: `TransferError.requestBody` for a file that cannot be opened.
  init(_ body: RequestBody) throws(TransferError) {
    self.body = body
    switch body {
    case .bytes(let bytes):
      length = bytes.count
      descriptor = -1
    case .file(let path):
      // The path outlives the call.
      let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
      var status = stat()
      // The file is open; one `stat` is written.
      guard file >= 0, unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
        let reason = file < 0 ? Self.reason(errno) : "it is not a regular file"
        if file >= 0 { close(file) }
        throw .requestBody("\(path): \(reason)")
      }
      descriptor = file
      length = Int(status.st_size)
    case .pieces(let size, _):
      length = size
      descriptor = -1
    }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Starts again.
  mutating func rewind() {
    offset = 0
    nextPiece = nil
    piece = []
  }

  /// Copies the next bytes to `room`; returns 0 at the end.
  ///
  /// - Throws: `TransferError.requestBody` if the body is shorter than its length, or cannot be read.
  mutating func read(into room: UnsafeMutableRawBufferPointer) throws(TransferError) -> Int {
    // Not more than announced: the file may have grown.
    let wanted = min(room.count, length.map { $0 - offset } ?? room.count)
    guard wanted > 0 else { return 0 }
    // Within the buffer, as just computed.
    let target = unsafe UnsafeMutableRawBufferPointer(rebasing: room[..<wanted])
    let count =
      switch body {
      case .bytes(let bytes): unsafe copy(bytes[offset...], to: target)
      case .file: try unsafe readFile(into: target)
      case .pieces(_, let open): try unsafe readPieces(into: target, open)
      }
    if count == 0, length != nil { throw .requestBody("it has become shorter") }
    offset += count
    return count
  }

  private func copy(_ bytes: ArraySlice<UInt8>, to target: UnsafeMutableRawBufferPointer) -> Int {
    let count = min(bytes.count, target.count)
    // The smaller of both counts.
    unsafe target.copyBytes(from: bytes.prefix(count))
    return count
  }

  private func readFile(into target: UnsafeMutableRawBufferPointer) throws(TransferError) -> Int {
    while true {
      // The file is open, and the buffer has `count` bytes.
      let count = unsafe pread(descriptor, target.baseAddress, target.count, off_t(offset))
      if count >= 0 { return count }
      guard errno == EINTR else { throw .requestBody(Self.reason(errno)) }
    }
  }

  private mutating func readPieces(
    into target: UnsafeMutableRawBufferPointer, _ open: () throws -> () throws -> [UInt8]?
  ) throws(TransferError) -> Int {
    do {
      let next = try nextPiece ?? open()
      nextPiece = next
      while piece.isEmpty {
        guard let bytes = try next() else { return 0 }
        piece = bytes[...]
      }
    } catch {
      throw .requestBody("\(error)")
    }
    let count = unsafe copy(piece, to: target)
    piece.removeFirst(count)
    return count
  }

  private static func reason(_ code: Int32) -> String {
    // `strerror` returns a NUL-terminated string that is copied before anything else can run on this thread.
    unsafe String(cString: strerror(code))
  }
}
