internal import Bus
internal import Digest
internal import Glibc
internal import KithClient
internal import KithMessages

/// A file to upload: read once for its digest, and again while it is sent. What can be read only once, such as a pipe or standard
/// input (`-`), is copied to a temporary file first.
struct UploadFile: ~Copyable {
  private let path: String
  private let descriptor: Int32
  private let mediaType: String?

  /// Opens a file.
  ///
  /// - Throws: `NOT_FOUND/FILE_UNREADABLE`.
  init(path: String) throws(Failure) {
    let descriptor = try Self.descriptor(of: path)
    self.path = path
    self.descriptor = descriptor
    self.mediaType = nil
  }

  /// Takes ownership of the descriptor of a file.
  ///
  /// - Parameter mediaType: Nil = by the ending of the path.
  init(_ descriptor: Int32, named path: String, mediaType: String? = nil) {
    self.path = path
    self.descriptor = descriptor
    self.mediaType = mediaType
  }

  deinit { close(self.descriptor) }

  /// Reads the file, and returns its size, digest and media type.
  func blob() throws(Failure) -> BlobRef {
    var blob = BlobRef()
    var digest = SHA256()
    while case let piece = try self.piece(at: blob.size, 256 << 10), !piece.isEmpty {
      digest.update(piece)
      blob.size += UInt64(piece.count)
    }
    blob.sha256 = Hex.encode(digest.finish())
    blob.mediaType = self.mediaType ?? MediaType.of(path: self.path)
    return blob
  }

  /// Reads exactly `count` bytes from an offset.
  ///
  /// - Throws: `FAILED_PRECONDITION/FILE_UNREADABLE`, also if the file has become shorter.
  func bytes(at offset: UInt64, _ count: Int) throws(Failure) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      let piece = try self.piece(at: offset + UInt64(bytes.count), count - bytes.count)
      guard !piece.isEmpty else {
        throw Failure(
          .failedPrecondition, "FILE_UNREADABLE", "\(self.path) was changed while it was read. Send it again.")
      }
      bytes += piece
    }
    return bytes
  }

  private static func descriptor(of path: String) throws(Failure) -> Int32 {
    let source = try InputFile.open(path)
    var status = stat()
    guard fstat(source, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { return source }
    defer { close(source) }
    let copy = try TemporaryFile()
    while case let piece = try InputFile.piece(of: source, named: path, 256 << 10), !piece.isEmpty {
      try copy.write(piece)
    }
    let descriptor = fcntl(copy.descriptor, F_DUPFD_CLOEXEC, 0)
    guard descriptor >= 0 else { throw InputFile.unreadable(path) }
    return descriptor
  }

  /// Reads at most `count` bytes from an offset; none at the end.
  private func piece(at offset: UInt64, _ count: Int) throws(Failure) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    while true {
      let read = bytes.withUnsafeMutableBytes { pread(self.descriptor, $0.baseAddress, $0.count, off_t(offset)) }
      if read >= 0 { return Array(bytes.prefix(read)) }
      guard errno == EINTR else { throw InputFile.unreadable(self.path) }
    }
  }
}

/// The media types of voice notes and photos, by the extensions of their names. RFC 6838 and IANA's registry.
enum MediaType {
  private static let types = [
    "aac": "audio/aac", "flac": "audio/flac", "m4a": "audio/mp4", "mp3": "audio/mpeg", "oga": "audio/ogg",
    "ogg": "audio/ogg", "opus": "audio/ogg", "wav": "audio/wav", "avif": "image/avif", "gif": "image/gif",
    "heic": "image/heic", "jpeg": "image/jpeg", "jpg": "image/jpeg", "png": "image/png", "webp": "image/webp",
  ]

  /// `image/png` for `a.PNG`; `application/octet-stream` for unknown extensions.
  static func of(path: String) -> String {
    let name = path.split(separator: "/").last ?? ""
    let ending = name.split(separator: ".").dropFirst().last?.lowercased() ?? ""
    return self.types[ending] ?? "application/octet-stream"
  }
}

extension Session {
  /// Uploads a file, and returns the reference to it.
  func upload(_ path: String) async throws(Failure) -> BlobRef { try await self.upload(UploadFile(path: path)) }

  /// Uploads an open file, and returns the reference to it.
  func upload(_ file: consuming UploadFile) async throws(Failure) -> BlobRef {
    let file = file
    let blob = try file.blob()
    try await self.client.upload(blob) { (offset, count) throws(Failure) in try file.bytes(at: offset, count) }
    return blob
  }
}
