internal import Bus
import Glibc

/// A folder that is open for listing and for opening its files.
struct Folder: ~Copyable {
  /// Valid as long as this value.
  let descriptor: Int32
  private let path: String

  /// One card file in the folder.
  struct Entry: Sendable {
    let name: FileName
    let stamp: FileStamp
  }

  /// The result of a complete listing.
  struct Listing: Sendable {
    var files: [Entry] = []
    /// Entries named like card files that are links, folders, pipes or devices.
    var others: [FileName] = []
    /// Its subfolders, except skipped ones.
    var folders: [FileName] = []
    /// Links to folders, except skipped ones.
    var links: [FileName] = []
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

  /// Opens a subfolder of a folder; nil with `errno` if it cannot be opened or is a link.
  init?(_ name: FileName, in folder: borrowing Folder) {
    let path = name.bytes.map { CChar(bitPattern: $0) } + [0]
    let descriptor = unsafe openat(folder.descriptor, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    self.descriptor = descriptor
    self.path = folder.path + "/" + name.text
  }

  deinit { close(self.descriptor) }

  /// The device and inode, which distinguish this folder from another one at the same path.
  func identity() throws(Failure) -> String {
    var status = stat()
    guard unsafe fstat(self.descriptor, &status) == 0 else { throw SourceFault.opening(self.path, errno: errno) }
    return "\(status.st_dev):\(status.st_ino)"
  }

  /// True if an error of opening means that the path does not exist, or is not a folder.
  static func isGone(errno code: Int32) -> Bool { [ENOENT, ENOTDIR, ELOOP].contains(code) }

  /// Lists the card files with their stamps, and the folders.
  ///
  /// - Throws: A failure of ``SourceFault``; an incomplete listing is a failure.
  func list() throws(Failure) -> Listing {
    var listing = Listing()
    // An entry is valid until the next one, and nothing keeps it.
    unsafe try self.forEach { entry, name throws(Failure) in
      guard name.isCardFile else {
        guard !name.isLeftOut, let isLink = unsafe self.leadsToFolder(entry) else { return true }
        if isLink { listing.links.append(name) } else { listing.folders.append(name) }
        return true
      }
      switch unsafe try self.stamp(of: entry) {
      case .file(let stamp): listing.files.append(Entry(name: name, stamp: stamp))
      case .other: listing.others.append(name)
      case .gone: break
      }
      guard listing.files.count <= Self.limit else { throw SourceFault.tooLarge(self.path, "\(Self.limit) card files") }
      return true
    }
    return listing
  }

  /// Searches a subfolder and its direct subfolders for card files.
  ///
  /// - Parameter limit: How many more folders may be searched.
  /// - Returns: True if there is a card file or a folder cannot be read; nil if the limit ended the search.
  func hasCards(in name: FileName, lookingInto limit: inout Int) -> Bool? {
    guard limit > 0 else { return nil }
    limit -= 1
    guard let folder = Folder(name, in: self) else { return !Self.isGone(errno: errno) }
    var hasCard = false
    var folders: [FileName] = []
    do throws(Failure) {
      // An entry is valid until the next one, and nothing keeps it.
      unsafe try folder.forEach { entry, name throws(Failure) in
        hasCard = name.isCardFile
        if !hasCard, unsafe folder.isInnerFolder(entry, name) { folders.append(name) }
        return !hasCard
      }
    } catch {
      return true
    }
    guard !hasCard else { return true }
    for inner in folders {
      let answer = folder.hasCards(in: inner, lookingInto: &limit)
      guard answer == false else { return answer }
    }
    return false
  }

  /// The subfolders that ``list()`` returns, without the stamps of files.
  func folders() throws(Failure) -> [FileName] {
    var folders: [FileName] = []
    // An entry is valid until the next one, and nothing keeps it.
    unsafe try self.forEach { entry, name throws(Failure) in
      if unsafe self.isInnerFolder(entry, name) { folders.append(name) }
      return true
    }
    return folders
  }

  private func isInnerFolder(_ entry: UnsafeMutablePointer<dirent>, _ name: FileName) -> Bool {
    unsafe !name.isCardFile && !name.isLeftOut && self.leadsToFolder(entry) == false
  }

  /// - Parameter body: Returns true to continue with the next entry.
  private func forEach(
    _ body: (UnsafeMutablePointer<dirent>, FileName) throws(Failure) -> Bool
  ) throws(Failure) {
    // A descriptor of its own, because closing the stream closes it.
    let own = unsafe openat(self.descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard own >= 0, let stream = unsafe fdopendir(own) else {
      let code = errno
      if own >= 0 { close(own) }
      throw SourceFault.opening(self.path, errno: code)
    }
    // The stream is open until here and used by this function alone.
    defer { unsafe closedir(stream) }
    while true {
      errno = 0
      guard let entry = unsafe readdir(stream) else { break }
      guard unsafe try body(entry, Self.name(of: entry)) else { return }
    }
    guard errno == 0 else { throw SourceFault.opening(self.path, errno: errno) }
  }

  private enum Kind {
    case file(FileStamp)
    case other
    case gone
  }

  private func stamp(of entry: UnsafeMutablePointer<dirent>) throws(Failure) -> Kind {
    guard let status = unsafe self.status(of: entry, AT_SYMLINK_NOFOLLOW) else {
      guard errno == ENOENT else { throw SourceFault.opening(self.path, errno: errno) }
      return .gone
    }
    return status.st_mode & S_IFMT == S_IFREG ? .file(FileStamp(status)) : .other
  }

  /// True for a link to a folder, false for a folder, nil for anything else.
  private func leadsToFolder(_ entry: UnsafeMutablePointer<dirent>) -> Bool? {
    func isFolder(_ flags: Int32) -> Bool {
      unsafe self.status(of: entry, flags).map { $0.st_mode & S_IFMT == S_IFDIR } ?? false
    }
    switch unsafe Int(entry.pointee.d_type) {
    case DT_DIR: return false
    case DT_LNK: return isFolder(0) ? true : nil
    case DT_UNKNOWN: return isFolder(AT_SYMLINK_NOFOLLOW) ? false : isFolder(0) ? true : nil
    default: return nil
    }
  }

  private func status(of entry: UnsafeMutablePointer<dirent>, _ flags: Int32) -> stat? {
    var status = stat()
    // The name lies in the entry, which is valid until the next `readdir`.
    let result = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
      unsafe fstatat(self.descriptor, UnsafeRawPointer(name).assumingMemoryBound(to: CChar.self), &status, flags)
    }
    return result == 0 ? status : nil
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
