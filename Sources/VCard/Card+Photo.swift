extension Card {
  /// Reads the picture (PHOTO): base64 and `data:` URIs of any version, and references.
  public func photo() -> PhotoReading {
    var reading = PhotoReading(photo: nil, warnings: [])
    for line in lines where storage.matches("PHOTO", in: line.name) {
      guard let content = InlineContent(line, in: storage) else { continue }
      switch content {
      case .uri(let uri):
        if reading.photo == nil { reading.photo = .uri(uri) }
      case .base64(let range):
        guard range.count / 4 * 3 <= limits.photoBytes + limits.photoBytes / 16 + 64 else {
          reading.warnings.append(Warning(.photoTooLarge, line: line.number))
          continue
        }
        guard let bytes = Base64.decode(storage, in: range), let mediaType = ImageSignature.mediaType(of: bytes) else {
          reading.warnings.append(Warning(.undecodablePhoto, line: line.number))
          continue
        }
        guard bytes.count <= limits.photoBytes else {
          reading.warnings.append(Warning(.photoTooLarge, line: line.number))
          continue
        }
        reading.photo = .inline(bytes: bytes, mediaType: mediaType)
        reading.range = range
        return reading
      case .unreadable:
        reading.warnings.append(Warning(.undecodablePhoto, line: line.number))
      }
    }
    return reading
  }
}

/// The picture of a card.
///
/// ```swift
/// if case .inline(let bytes, "image/jpeg")? = card.photo().photo { try save(bytes) }
/// ```
public enum Photo: Sendable, Hashable {
  /// The image file as the card holds it, and its media type, such as `image/jpeg`.
  case inline(bytes: [UInt8], mediaType: String)
  /// The URI of an image, as written.
  case uri(String)
}

/// The picture of a card, and the pictures that could not be read.
///
/// ```swift
/// let reading = card.photo()
/// if case .uri(let uri)? = reading.photo { print(uri) }
/// for warning in reading.warnings { print(warning.kind) }
/// ```
public struct PhotoReading: Sendable {
  /// The first picture that decodes to a known kind of image, or else the first reference; nil without either.
  public var photo: Photo?
  /// The pictures that could not be read.
  public var warnings: [Warning]
  /// The range of an inline picture's base64 text in its card.
  var range: Range<Int>?

  /// The decoded bytes of a base64 text; nil if it is not the text of this picture.
  func bytes(at range: Range<Int>) -> [UInt8]? {
    guard range == self.range, case .inline(let bytes, _)? = photo else { return nil }
    return bytes
  }
}

/// Recognises kinds of images by their first bytes.
///
/// ```swift
/// ImageSignature.mediaType(of: [0xFF, 0xD8, 0xFF])  // "image/jpeg"
/// ```
public enum ImageSignature {
  /// The media type of an image; nil if its kind is unknown.
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
