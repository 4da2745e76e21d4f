internal import Glibc
internal import Report

/// Typesets a report of calls as PDF. `kithd` starts it.
@main
enum Program {
  static func main() { exit(Report.run()) }
}
