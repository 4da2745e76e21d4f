import Foundation

/// A parser of what others send, and what must hold of every input.
protocol FuzzTarget {
  /// Inputs to begin with: one for each way through the parser.
  static var seeds: [[UInt8]] { get }
  /// Reads one input. Ends the process where something does not hold.
  static func read(_ input: [UInt8])
}

/// Ends the process with what did not hold; libFuzzer keeps the input.
func require(_ holds: Bool, _ what: @autoclosure () -> String) {
  guard !holds else { return }
  fail(what())
}

/// As ``require(_:_:)``. A release build does not print why it stops by itself.
func fail(_ what: String) -> Never {
  FileHandle.standardError.write(Data("kith-fuzz: \(what)\n".utf8))
  preconditionFailure()
}
