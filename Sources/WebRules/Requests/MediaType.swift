/// The media type of a blob, by its first bytes.
///
/// Only types that a browser shows without running anything in them; everything else is a file to keep.
///
/// ```swift
/// MediaType.of([0xFF, 0xD8, 0xFF, 0xE0])  // image/jpeg
/// ```
public enum MediaType {
  /// What is no known type.
  public static let other = "application/octet-stream"

  /// Finds the type by the first bytes; 16 of them are enough.
  public static func of(_ bytes: [UInt8]) -> String {
    for (type, parts) in Self.marks {
      let fits = parts.allSatisfy { offset, mark in
        bytes.count >= offset + mark.count && bytes[offset..<offset + mark.count].elementsEqual(mark)
      }
      if fits { return type }
    }
    return Self.other
  }

  private static let marks: [(String, [(Int, [UInt8])])] = [
    ("image/jpeg", [(0, [0xFF, 0xD8, 0xFF])]),
    ("image/png", [(0, [0x89] + Array("PNG\r\n".utf8))]),
    ("image/gif", [(0, Array("GIF8".utf8))]),
    ("image/webp", [(0, Array("RIFF".utf8)), (8, Array("WEBP".utf8))]),
    ("audio/wav", [(0, Array("RIFF".utf8)), (8, Array("WAVE".utf8))]),
    ("audio/ogg", [(0, Array("OggS".utf8))]),
    ("audio/mp4", [(4, Array("ftypM4A".utf8))]),
    // What Safari records.
    ("audio/mp4", [(4, Array("ftypiso".utf8))]), ("audio/mp4", [(4, Array("ftypmp4".utf8))]),
    ("audio/webm", [(0, [0x1A, 0x45, 0xDF, 0xA3])]),
    ("audio/flac", [(0, Array("fLaC".utf8))]),
  ]
}
