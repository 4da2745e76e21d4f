/// The rule for the names of keys and workers.
public enum PeerName {
  /// The rule in words, for a message about a field.
  public static let rule = "has to be 1 to 32 of a-z, 0-9 and hyphens, and begin with a letter or a digit."

  /// Whether `name` keeps to the rule. None begins with a hyphen: a command would take it for an option.
  public static func isValid(_ name: String) -> Bool {
    (1...32).contains(name.utf8.count) && !name.hasPrefix("-")
      && name.utf8.allSatisfy { byte in
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
          || byte == UInt8(ascii: "-")
      }
  }
}
