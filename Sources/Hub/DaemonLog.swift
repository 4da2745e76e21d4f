internal import Glibc
internal import Logging

/// The log of a daemon on standard error: a line an entry, words before fields.
///
/// ```
/// 2026-11-23T12:49:09+0000 info kithd: ready control=/run/kith/control.sock version=0.1.0
/// <6>ready control=/run/kith/control.sock version=0.1.0
/// ```
///
/// The second form is for systemd's journal, which has a time and a name of its own and takes the priority from the front of a
/// line: sd-daemon(3).
struct DaemonLog: LogHandler {
  var logLevel = Logger.Level.info
  var metadata: Logger.Metadata = [:]
  private let label: String
  private let isJournal: Bool

  /// Makes the log of a part, such as `kithd`.
  ///
  /// - Parameter isJournal: Whether standard error leads to the journal.
  init(label: String, isJournal: Bool = DaemonLog.leadsToJournal) {
    self.label = label
    self.isJournal = isJournal
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { self.metadata[key] }
    set { self.metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    var fields = self.metadata.merging(event.metadata ?? [:]) { $1 }
    if let error = event.error { fields["error"] = "\(error)" }
    Self.write(self.line(event.level, event.message.description, fields))
  }

  /// An entry as it is written, with its line feed.
  func line(_ level: Logger.Level, _ words: String, _ fields: Logger.Metadata = [:]) -> String {
    let said = [words.oneLine] + fields.sorted { $0.key < $1.key }.map { "\($0)=\(Self.text($1))" }
    let front = self.isJournal ? "<\(Self.priority(level))>" : "\(Self.now()) \(level) \(self.label): "
    return front + said.joined(separator: " ") + "\n"
  }

  /// Says why the process ends: as a sentence, with a priority for the journal.
  static func end(_ name: String, _ sentence: String) {
    self.write(self.leadsToJournal ? "<3>\(sentence.oneLine)\n" : "\(name): \(sentence)\n")
  }

  /// Whether standard error is the journal's stream, whose device and inode systemd names: systemd.exec(5). A process that was
  /// started with the variable may have been given another one since.
  static var leadsToJournal: Bool {
    guard let named = getenv("JOURNAL_STREAM") else { return false }
    var status = stat()
    return fstat(STDERR_FILENO, &status) == 0 && String(cString: named) == "\(status.st_dev):\(status.st_ino)"
  }

  /// As syslog(3) counts.
  private static func priority(_ level: Logger.Level) -> Int {
    switch level {
    case .trace, .debug: 7
    case .info: 6
    case .notice: 5
    case .warning: 4
    case .error: 3
    case .critical: 2
    }
  }

  /// A value as it stands in a line: in quotes where it would not end at its space.
  private static func text(_ value: Logger.Metadata.Value) -> String {
    let text = "\(value)".oneLine
    return text.contains(" ") ? "\"\(text)\"" : text
  }

  private static func now() -> String {
    var seconds = time(nil)
    var parts = tm()
    localtime_r(&seconds, &parts)
    var buffer = [CChar](repeating: 0, count: 32)
    let count = strftime(&buffer, buffer.count, "%Y-%m-%dT%H:%M:%S%z", &parts)
    return String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// One call a line, so that lines of several threads do not mix; what cannot be written is lost, as with any log.
  private static func write(_ line: String) {
    let bytes = Array(line.utf8)
    _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
  }
}

extension String {
  /// The text with its line feeds and carriage returns as spaces.
  fileprivate var oneLine: String { String(self.map { $0.isNewline ? " " : $0 }) }
}
