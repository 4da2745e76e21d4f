internal import Bus
import Glibc

/// A folder that is open for listing and for opening its files.
struct Folder: ~Copyable {
  /// Valid as long as the folder.
  let descriptor: Int32
  private let path: String

  /// One card file in it.
  struct Entry: Sendable {
    let name: FileName
    let stamp: FileStamp
  }

  /// What a whole listing found.
  struct Listing: Sendable {
    var files: [Entry] = []
    /// Named like card files, but links, folders, pipes or devices.
    var others: [FileName] = []
  }

  /// More card files than this in one folder are refused.
  static let limit = 200_000

  /// Opens a folder.
  ///
  /// - Throws: A failure of ``SourceFault``.
  init(path: String) throws(Failure) {
    // The path is valid for the call.
    let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SourceFault.opening(path, errno: errno) }
    self.descriptor = descriptor
    self.path = path
  }

  deinit { close(self.descriptor) }

  /// Tells this folder from another one at the same path: device and inode.
  func identity() throws(Failure) -> String {
    var status = stat()
    guard unsafe fstat(self.descriptor, &status) == 0 else { throw SourceFault.opening(self.path, errno: errno) }
    return "\(status.st_dev):\(status.st_ino)"
  }

  /// Lists the card files with their stamps.
  ///
  /// - Throws: A failure of ``SourceFault``; a listing that is not whole is none.
  func list() throws(Failure) -> Listing {
    // A descriptor of its own, because closing the stream closes it.
    let own = unsafe openat(self.descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard own >= 0, let stream = unsafe fdopendir(own) else {
      let code = errno
      if own >= 0 { close(own) }
      throw SourceFault.opening(self.path, errno: code)
    }
    // The stream is open until here and used by this function alone.
    defer { unsafe closedir(stream) }
    var listing = Listing()
    while true {
      errno = 0
      guard let entry = unsafe readdir(stream) else { break }
      let name = unsafe Self.name(of: entry)
      guard name.isCardFile else { continue }
      switch unsafe try self.stamp(of: entry) {
      case .file(let stamp): listing.files.append(Entry(name: name, stamp: stamp))
      case .other: listing.others.append(name)
      case .gone: continue
      }
      guard listing.files.count <= Self.limit else { throw SourceFault.tooLarge(self.path, "\(Self.limit) card files") }
    }
    guard errno == 0 else { throw SourceFault.opening(self.path, errno: errno) }
    return listing
  }

  private enum Kind {
    case file(FileStamp)
    case other
    case gone
  }

  private func stamp(of entry: UnsafeMutablePointer<dirent>) throws(Failure) -> Kind {
    var status = stat()
    // The name lies in the entry, which is valid until the next `readdir`.
    let result = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
      unsafe fstatat(
        self.descriptor, UnsafeRawPointer(name).assumingMemoryBound(to: CChar.self), &status, AT_SYMLINK_NOFOLLOW)
    }
    if result == 0 { return status.st_mode & S_IFMT == S_IFREG ? .file(FileStamp(status)) : .other }
    guard errno == ENOENT else { throw SourceFault.opening(self.path, errno: errno) }
    return .gone
  }

  private static func name(of entry: UnsafeMutablePointer<dirent>) -> FileName {
    // `d_name` ends with NUL within its array.
    unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
      let start = unsafe UnsafeRawPointer(name).assumingMemoryBound(to: UInt8.self)
      return unsafe FileName(
        Array(
          UnsafeBufferPointer(start: start, count: strlen(UnsafeRawPointer(name).assumingMemoryBound(to: CChar.self)))))
    }
  }
}
