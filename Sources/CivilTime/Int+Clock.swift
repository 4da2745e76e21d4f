extension Int {
  /// Quotient rounded down, and what is left, which is never negative. The divisor is positive.
  package func dividedDown(by divisor: Int) -> (quotient: Int, remainder: Int) {
    let (quotient, remainder) = self.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }

  /// The number with zeros before it: two digits, or as many as are named.
  package func padded(to width: Int = 2) -> String {
    let digits = String(self)
    return String(repeating: "0", count: Swift.max(0, width - digits.utf8.count)) + digits
  }

  /// So many seconds in nanoseconds; the nearest that can be told.
  var nanoseconds: Int64 {
    let (product, isTooMuch) = Int64(self).multipliedReportingOverflow(by: 1_000_000_000)
    return isTooMuch ? (self < 0 ? .min : .max) : product
  }
}
