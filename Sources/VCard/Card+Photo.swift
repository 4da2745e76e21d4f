extension Card {
  /// Reads the picture (PHOTO): base64 of any version, `data:` URIs of any version, and references.
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
