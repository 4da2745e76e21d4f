internal import Glibc
internal import KithMessages

/// The kernel's notices of changed files, from inotify(7).
struct FileNotices: ~Copyable {
  /// One notice.
  enum Notice: Hashable {
    /// A file in a watched folder changed; its name.
    case changed(watch: Int32, name: String)
    /// A folder was added to a watched folder or removed from it; its name.
    case folderChanged(watch: Int32, name: String)
    /// A watched folder was deleted or moved; its watch has ended.
    case gone(watch: Int32)
    /// Notices were dropped: anything may have changed.
    case overflow
  }

  /// Readable when there are notices.
  let descriptor: Int32

  /// Opens the queue of notices.
  ///
  /// - Returns: nil if the system allows no more of them (`fs.inotify.max_user_instances`).
  init?() {
    let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    guard descriptor >= 0 else { return nil }
    self.descriptor = descriptor
  }

  deinit { close(self.descriptor) }

  /// Watches a folder for files that are written, moved or removed in it, and for subfolders that are added or removed.
  ///
  /// - Parameters:
  ///   - folder: The path of a folder.
  ///   - inner: The name of a subfolder to watch instead.
  /// - Returns: The watch; nil if the folder does not exist or cannot be read.
  func watch(_ folder: String, inner: FileName? = nil) -> Int32? {
    let mask =
      IN_CLOSE_WRITE | IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT
      | IN_ONLYDIR
    let name = inner.map { [UInt8(ascii: "/")] + $0.bytes } ?? []
    let path = (Array(folder.utf8) + name).map { CChar(bitPattern: $0) } + [0]
    // The path outlives the call.
    let watch = unsafe inotify_add_watch(self.descriptor, path, UInt32(mask))
    return watch >= 0 ? watch : nil
  }

  /// Ends a watch.
  func end(_ watch: Int32) { _ = inotify_rm_watch(self.descriptor, watch) }

  /// Reads the waiting notices, at most one buffer; the descriptor stays readable if there are more.
  func read() -> [Notice] {
    var buffer = [UInt8](repeating: 0, count: 16 << 10)
    // At most `count` bytes go into the array.
    let count = unsafe Glibc.read(self.descriptor, &buffer, buffer.count)
    guard count > 0 else { return [] }
    return Self.parse(buffer[..<count])
  }

  /// Parses `struct inotify_event`: watch, mask, cookie and length of the name, four bytes each, then the name.
  static func parse(_ bytes: ArraySlice<UInt8>) -> [Notice] {
    var notices: [Notice] = []
    var rest = bytes
    while rest.count >= 16 {
      let fields = (0..<4).map { field in
        (0..<4).reduce(UInt32(0)) { $0 | UInt32(rest[rest.startIndex + 4 * field + $1]) << UInt32(8 * $1) }
      }
      let name = rest.dropFirst(16).prefix(Int(fields[3]))
      rest = rest.dropFirst(16 + Int(fields[3]))
      let watch = Int32(bitPattern: fields[0])
      switch fields[1] {
      case let mask where mask & UInt32(IN_Q_OVERFLOW) != 0:
        notices.append(.overflow)
      case let mask where mask & UInt32(IN_IGNORED | IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT) != 0:
        notices.append(.gone(watch: watch))
      case let mask:
        let name = String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
        if mask & UInt32(IN_ISDIR) != 0 {
          notices.append(.folderChanged(watch: watch, name: name))
        } else if mask & UInt32(IN_CREATE) == 0 {
          // A created file is reported when it is closed.
          notices.append(.changed(watch: watch, name: name))
        }
      }
    }
    return notices
  }
}

/// The folder to watch for a source, and its relevant files.
struct WatchedPath: Hashable {
  /// The watched folder. For a single file it is the parent folder, because programs replace files instead of writing
  /// into them.
  let folder: String
  /// The only relevant file; nil for all files that could be cards.
  let file: String?

  /// The path of a source on this machine's disk; nil for other sources.
  init?(_ location: SourceLocation) {
    switch location.kind {
    case .vdir(let vdir)?:
      self.folder = vdir.path
      self.file = nil
    case .vcf(let vcf)?:
      guard let slash = vcf.path.lastIndex(of: "/") else { return nil }
      self.folder = slash == vcf.path.startIndex ? "/" : String(vcf.path[..<slash])
      self.file = String(vcf.path[vcf.path.index(after: slash)...])
    case .carddav?, nil:
      return nil
    }
  }

  /// The subfolders with relevant files; empty if the folder cannot be read.
  var inner: [FileName] {
    guard self.file == nil, let folder = try? Folder(path: self.folder) else { return [] }
    return (try? folder.folders()) ?? []
  }

  /// True if adding or removing this subfolder can change the source.
  func concerns(folder name: String) -> Bool { self.file == nil && !name.hasPrefix(".") }

  /// True if a change of this file can change the source.
  func concerns(_ name: String) -> Bool {
    if let file { return name == file }
    return name.lowercased().hasSuffix(".vcf") && !name.hasPrefix(".")
  }
}
