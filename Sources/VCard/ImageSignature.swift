/// Known kinds of images, by how their files start.
public enum ImageSignature {
  /// The media type of an image; nil when it is of no known kind.
  public static func mediaType(of bytes: [UInt8]) -> String? {
    func has(_ text: String, at offset: Int = 0) -> Bool {
      bytes.count >= offset + text.utf8.count && bytes[offset..<offset + text.utf8.count].elementsEqual(text.utf8)
    }
    if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "image/png" }
    if has("GIF8") { return "image/gif" }
    if has("RIFF"), has("WEBP", at: 8) { return "image/webp" }
    if has("ftyp", at: 4), ["heic", "heix", "mif1", "msf1", "hevc"].contains(where: { has($0, at: 8) }) {
      return "image/heic"
    }
    if has("ftyp", at: 4), has("avif", at: 8) { return "image/avif" }
    if bytes.starts(with: [0x49, 0x49, 0x2A, 0]) || bytes.starts(with: [0x4D, 0x4D, 0, 0x2A]) { return "image/tiff" }
    if has("BM"), bytes.count >= 26 { return "image/bmp" }
    return nil
  }
}
