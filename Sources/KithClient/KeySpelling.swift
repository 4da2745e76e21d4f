internal import ZeroMQ

/// How a key is written: 64 hex digits for people and shells, 40 characters of Z85 in messages. Either is taken everywhere.
public enum KeySpelling {
  /// The hex digits of a public key in either spelling; the text itself when it is no key.
  public static func hex(_ key: String) -> String { CurveKey(text: key)?.hex ?? key }
}
