internal import Glibc
package import Logging

/// The log of a daemon on standard error: one line per entry, the message before the fields.
///
/// ```
/// 2026-11-23T12:49:09+0000 info kithd: ready control=/run/kith/control.sock version=0.1.0
/// <6>ready control=/run/kith/control.sock version=0.1.0
/// ```
///
/// The second form is for systemd's journal, which adds time and name itself and reads the priority at the front of a
/// line: sd-daemon(3).
package struct DaemonLog: LogHandler {
  package var logLevel = Logger.Level.info
  package var metadata: Logger.Metadata = [:]
  private let label: String
  private let isJournal: Bool

  /// Creates the log of a part, such as `kithd`.
  ///
  /// - Parameter isJournal: Whether standard error goes to the journal.
  package init(label: String, isJournal: Bool = DaemonLog.leadsToJournal) {
    self.label = label
    self.isJournal = isJournal
  }

  package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { self.metadata[key] }
    set { self.metadata[key] = newValue }
  }

  package func log(event: LogEvent) {
    var fields = self.metadata.merging(event.metadata ?? [:]) { $1 }
    if let error = event.error { fields["error"] = "\(error)" }
    Self.write(self.line(event.level, event.message.description, fields))
  }

  /// The text of an entry, with its line feed.
  package func line(_ level: Logger.Level, _ words: String, _ fields: Logger.Metadata = [:]) -> String {
    let said = [words.oneLine] + fields.sorted { $0.key < $1.key }.map { "\($0)=\(Self.text($1))" }
    let front = self.isJournal ? "<\(Self.priority(level))>" : "\(Self.now()) \(level) \(self.label): "
    return front + said.joined(separator: " ") + "\n"
  }

  /// Writes why the process ends: as a sentence, with a priority for the journal.
  package static func end(_ name: String, _ sentence: String) {
    self.write(self.leadsToJournal ? "<3>\(sentence.oneLine)\n" : "\(name): \(sentence)\n")
  }

  /// Whether standard error is the journal's stream, whose device and inode systemd passes in `JOURNAL_STREAM`:
  /// systemd.exec(5). The variable may be inherited while standard error was redirected.
  package static var leadsToJournal: Bool {
    guard let named = getenv("JOURNAL_STREAM") else { return false }
    var status = stat()
    return fstat(STDERR_FILENO, &status) == 0 && String(cString: named) == "\(status.st_dev):\(status.st_ino)"
  }

  /// The severity of syslog(3).
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

  /// A value in a line: quoted if it contains a space.
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

  /// One call per line, so that lines of several threads do not mix. A line that cannot be written is lost.
  private static func write(_ line: String) {
    let bytes = Array(line.utf8)
    _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
  }
}

extension String {
  /// The text with a space for each line feed and carriage return.
  fileprivate var oneLine: String { String(self.map { $0.isNewline ? " " : $0 }) }
}
