internal import Bus
public import EventLoop
internal import KithMessages
public import Logging

/// Tells when the files of sources change, and costs nothing while they do not.
///
/// Beside each folder the one that holds it is watched, so that a folder that is moved away or removed is watched again when it
/// comes back. Network file systems and disks that are mounted give no notice: the regular passes see their changes.
public actor FolderWatcher: LoopActor {
  public nonisolated let loop: LoopExecutor

  /// What is watched for a source in one folder.
  private struct Interest {
    let source: String
    /// Only this entry; nil = every card file.
    let entry: FileName?
    /// Whether the entry is the way to the source's folder, so that the watches have to be made anew.
    let isWay: Bool
  }

  private let notice: @Sendable (_ source: String) -> Void
  private let logger: Logger
  private var sources: [Source] = []
  private var interests: [Int32: [Interest]] = [:]
  private var watch: Watch?
  private var inotify: Inotify?

  /// Makes a watcher that watches nothing yet.
  ///
  /// - Parameters:
  ///   - loop: Where it lives and waits.
  ///   - notice: Called on the loop with the name of a source whose files may have changed; often several times in a row.
  public init(loop: LoopExecutor, logger: Logger, notice: @escaping @Sendable (_ source: String) -> Void) {
    self.loop = loop
    self.logger = logger
    self.notice = notice
  }

  // Ends the watch and closes the descriptor on the loop.
  isolated deinit {}

  /// Watches the folders and files of these sources, and of no others.
  func setSources(_ sources: [Source]) {
    self.sources = sources
    self.rebuild()
  }

  /// Stops watching.
  public func stop() {
    self.watch = nil
    self.inotify = nil
    self.interests = [:]
  }

  private func rebuild() {
    self.stop()
    guard !self.sources.isEmpty else { return }
    guard let inotify = Inotify() else {
      self.logger.warning("no file-change notices: the system has no inotify instances left")
      return
    }
    for source in self.sources { self.add(source, to: inotify) }
    self.watch = self.watch(.descriptor(inotify.descriptor), for: .readable) { watcher, _ in watcher.read() }
    self.inotify = consume inotify
  }

  private func add(_ source: Source, to inotify: borrowing Inotify) {
    switch source.kind {
    case .vdir(let vdir)?:
      if let folder = inotify.watch(vdir.path) {
        self.interests[folder, default: []].append(Interest(source: source.name, entry: nil, isWay: false))
      }
      self.addWay(to: vdir.path, of: source.name, in: inotify)
    case .vcf(let vcf)?:
      let (folder, name) = Self.split(vcf.path)
      if let folder = inotify.watch(folder) {
        self.interests[folder, default: []].append(Interest(source: source.name, entry: name, isWay: false))
      }
      self.addWay(to: folder, of: source.name, in: inotify)
    case .carddav?, nil:
      return
    }
  }

  /// Watches the nearest folder above `path` that is there for the next step of the way.
  private func addWay(to path: String, of source: String, in inotify: borrowing Inotify) {
    var (above, entry) = Self.split(path)
    while !entry.bytes.isEmpty {
      if let folder = inotify.watch(above) {
        self.interests[folder, default: []].append(Interest(source: source, entry: entry, isWay: true))
        return
      }
      (above, entry) = Self.split(above)
    }
  }

  private func read() {
    let notices = self.inotify?.notices() ?? []
    var changed: Set<String> = []
    var isStale = false
    for notice in notices {
      if notice.isOverflow {
        changed.formUnion(self.sources.map(\.name))
        continue
      }
      for interest in self.interests[notice.folder] ?? [] {
        guard notice.isOfFolder || interest.entry.map({ $0 == notice.name }) ?? notice.name.isCardFile else { continue }
        changed.insert(interest.source)
        isStale = isStale || notice.isOfFolder || interest.isWay
      }
    }
    if isStale { self.rebuild() }
    for source in changed { self.notice(source) }
  }

  /// The folder and the last name of an absolute path; an empty name for the root.
  private static func split(_ path: String) -> (folder: String, name: FileName) {
    guard let slash = path.lastIndex(of: "/") else { return ("/", FileName([])) }
    let folder = slash == path.startIndex ? "/" : String(path[..<slash])
    return (folder, FileName(Array(path[path.index(after: slash)...].utf8)))
  }
}
