/// The one rule for names that people give: to keys, workers, sources and channels. In `proto/` it is the format `NAME`.
///
/// ```swift
/// let name = try GivenName.check(request.name, field: "name")  // "kitchen-tablet"
/// ```
public enum GivenName {
  /// Checks a name.
  ///
  /// - Parameter field: Where it is, for the message.
  /// - Returns: The name.
  /// - Throws: `FIELD_INVALID` unless it is 1 to 32 of a-z, 0-9 and hyphens, and begins with a letter or a digit: a command would take
  ///   one that begins with a hyphen for an option.
  @discardableResult
  public static func check(_ name: String, field: String) throws(Failure) -> String {
    let isPlain = name.utf8.allSatisfy { byte in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        || byte == UInt8(ascii: "-")
    }
    guard isPlain, (1...32).contains(name.utf8.count), !name.hasPrefix("-") else {
      throw .invalid(field: field, "has to be 1 to 32 of a-z, 0-9 and hyphens, and begin with a letter or a digit.")
    }
    return name
  }
}
