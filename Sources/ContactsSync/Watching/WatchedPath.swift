internal import KithMessages

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
