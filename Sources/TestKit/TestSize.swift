internal import Foundation

/// Returns how much a test does that has a full size and a short form.
///
/// - Parameters:
///   - short: What every run of the tests does.
///   - full: What is done where the environment has `KITH_LONG`.
public func testSize(short: Int, full: Int) -> Int {
  (ProcessInfo.processInfo.environment["KITH_LONG"] ?? "").isEmpty ? short : full
}
