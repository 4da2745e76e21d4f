internal import Glibc
internal import KithMessages

/// Notices of changed files from the kernel. inotify(7).
struct FileNotices: ~Copyable {
  /// One notice of the kernel.
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
  /// - Returns: Nil if the system allows no more of them (`fs.inotify.max_user_instances`).
  init?() {
    let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    guard descriptor >= 0 else { return nil }
    self.descriptor = descriptor
  }

  deinit { close(self.descriptor) }

  /// Watches a folder for files that are written, moved and removed in it, and for folders that come and go.
  ///
  /// - Parameters:
  ///   - folder: The path of a folder.
  ///   - inner: The name of a folder in it, which is watched instead.
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

  /// Reads `struct inotify_event`: watch, mask, cookie and length of the name, each of four bytes, then the name.
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
          // A created file is reported when its writing ends.
          notices.append(.changed(watch: watch, name: name))
        }
      }
    }
    return notices
  }
}

/// The folder to watch for a source, and which of its files matter.
struct WatchedPath: Hashable {
  /// The watched folder. For a single file it is its folder, because programs replace files instead of writing them.
  let folder: String
  /// The only file that matters; nil = all files that could be cards.
  let file: String?

  /// The path of a source on this machine's disk; nil for others.
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

  /// Its subfolders whose files matter as well; none while the folder cannot be read.
  var inner: [FileName] {
    guard self.file == nil, let folder = try? Folder(path: self.folder) else { return [] }
    return (try? folder.folders()) ?? []
  }

  /// Whether a folder in it that comes or goes can be a change of the source.
  func concerns(folder name: String) -> Bool { self.file == nil && !name.hasPrefix(".") }

  /// Whether a change of a file can be a change of the source.
  func concerns(_ name: String) -> Bool {
    if let file { return name == file }
    return name.lowercased().hasSuffix(".vcf") && !name.hasPrefix(".")
  }
}
