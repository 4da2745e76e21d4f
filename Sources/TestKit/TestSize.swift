internal import Foundation

/// Returns the size of a test that has a short and a full form.
///
/// - Parameters:
///   - short: The size in every run of the tests.
///   - full: The size if the environment has `KITH_LONG`.
public func testSize(short: Int, full: Int) -> Int {
  variable("KITH_LONG") == nil ? short : full
}

/// Returns the seeds of a test's random histories.
///
/// `KITH_SEED` is the first seed and `KITH_HISTORIES` their number; a first seed alone means one history. Without them
/// there are as many as ``testSize(short:full:)`` returns, from `first`.
public func testSeeds(from first: UInt64 = 1, short: Int, full: Int) -> [UInt64] {
  let given = variable("KITH_SEED").flatMap { UInt64($0) }
  let count = variable("KITH_HISTORIES").flatMap { Int($0) } ?? (given == nil ? testSize(short: short, full: full) : 1)
  return (0..<UInt64(count)).map { (given ?? first) + $0 }
}

/// Whether a single history was requested, which may print its steps.
public var isOneHistory: Bool { variable("KITH_SEED") != nil && variable("KITH_HISTORIES") == nil }

/// Adds to the counts of `scripts/prove.sh`, in the file that `KITH_TALLY` names.
///
/// - Throws: An error of that file.
public func tally(histories: Int = 0, faults: Int = 0) throws {
  guard let path = variable("KITH_TALLY") else { return }
  let file = try FileHandle(forWritingTo: URL(filePath: path))
  try file.seekToEnd()
  try file.write(contentsOf: Data(#"{"histories": \#(histories), "faults": \#(faults)}"#.utf8 + [0x0A]))
  try file.close()
}

private func variable(_ name: String) -> String? {
  ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
}

/// A random number generator that returns the same numbers for the same seed on every machine (splitmix64).
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Starts the sequence of a seed.
  public init(seed: UInt64) { self.state = seed }

  /// The next number of the sequence.
  public mutating func next() -> UInt64 {
    self.state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = self.state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
