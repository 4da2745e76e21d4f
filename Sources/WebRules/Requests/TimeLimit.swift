internal import Bus

/// How long a caller waits: `Connect-Timeout-Ms`.
public enum TimeLimit {
  /// The longest wait.
  public static let longest = Duration.seconds(3600)

  /// Reads the field; nil if it is absent.
  ///
  /// - Throws: 400 if it is not 1 to 10 digits, or 0.
  public static func of(_ head: RequestHead) throws(Refusal) -> Duration? {
    guard head.fields["connect-timeout-ms"] != nil else { return nil }
    guard let text = head.field("connect-timeout-ms"), (1...10).contains(text.utf8.count),
      text.allSatisfy({ $0.isASCII && $0.isNumber }), let value = Int64(text), value > 0
    else {
      throw Refusal(
        400, .invalid(field: "Connect-Timeout-Ms", "has to be a number of milliseconds, at most ten digits."))
    }
    return min(.milliseconds(value), self.longest)
  }
}
