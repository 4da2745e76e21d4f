internal import Glibc
internal import KithMessages
internal import SwiftProtobuf

/// Prints a report of calls: reads a `kith.v1.CallReport` from standard input, and writes a PDF to standard output.
///
/// Warnings go to standard error, one a line. Exits with 0; with 65 if the input is not such a message, with 74 if the PDF could
/// not be written.
@main
struct Report {
  static func main() {
    guard let report = try? CallReport(serializedBytes: self.input()) else {
      self.complain("the input is not a report of calls")
      exit(65)
    }
    let document = CallDocument(report)
    guard document.print() else {
      self.complain("the report cannot be written")
      exit(74)
    }
    for warning in document.warnings { self.complain(warning) }
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
