internal import CPango
internal import Glibc
internal import KithMessages
internal import SwiftProtobuf

/// The program `kith-report`: reads a `kith.v1.CallReport` from standard input, or with the argument `care` a `kith.v1.CareReport`, and writes
/// a PDF to standard output.
public enum Report {
  /// Runs the program. Warnings go to standard error, one a line.
  ///
  /// - Returns: 0; 65 if the input is not such a message, 69 if pango is not installed, 74 if the PDF cannot be written.
  public static func run() -> Int32 {
    if let missing = unsafe kith_load_pango() {
      // A text of the program itself.
      let file = unsafe String(cString: missing)
      self.complain("the library \(file) is missing. Install it: apt install libpangocairo-1.0-0")
      return 69
    }
    let document: any Document
    if CommandLine.arguments.dropFirst().first == "care" {
      guard let report = try? CareReport(serializedBytes: self.input()) else {
        self.complain("the input is not a report of care")
        return 65
      }
      document = CareDocument(report)
    } else {
      guard let report = try? CallReport(serializedBytes: self.input()) else {
        self.complain("the input is not a report of calls")
        return 65
      }
      document = CallDocument(report)
    }
    guard document.print() else {
      self.complain("the report cannot be written")
      return 74
    }
    for warning in document.warnings { self.complain(warning) }
    return 0
  }

  private static func input() -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      // At most `count` bytes go into the array.
      let count = unsafe read(STDIN_FILENO, &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return bytes }
      bytes += buffer[..<count]
    }
  }

  private static func complain(_ text: String) {
    let line = Array("kith-report: \(text)\n".utf8)
    // The array outlives the call and is `count` long. A failure to write cannot be reported.
    _ = unsafe write(STDERR_FILENO, line, line.count)
  }
}

/// The pages of a report.
protocol Document {
  /// Warnings about characters that could not be printed.
  var warnings: [String] { get }

  /// Writes the document to standard output.
  ///
  /// - Returns: Whether all of it was written.
  func print() -> Bool
}
