extension VersionedCard {
  /// Fills a draft with a picture, a sound or a key: inline in the form of the version, or as a URI marked as one,
  /// since readers of 3.0 otherwise expect base64. Other values become an X- property; a key may be a text.
  func fillData(_ draft: inout Draft, _ property: Property) {
    draft.setKind(nil)
    switch InlineContent(property.line, in: property.bytes) {
    case .uri(let uri)?:
      draft.value = .uri(uri)
      draft.setKind("uri")
      if version == .v4_0 { nameMediaType(in: &draft, property) } else { nameSubtype(in: &draft) }
    case .base64(let range)?:
      guard let data = Base64.decode(property.bytes, in: range), let mediaType = mediaType(of: data, property) else {
        fallthrough
      }
      draft.parameters.removeAll { $0.name == "TYPE" || $0.name == "MEDIATYPE" }
      if version == .v4_0 {
        draft.value = .data(data, mediaType: mediaType)
      } else {
        let subtype =
          Self.subtypes[mediaType] ?? mediaType.split(separator: "/").last.map { String($0).uppercasedASCII }
        draft.parameters.insert(
          contentsOf: [Parameter("ENCODING", "b"), Parameter("TYPE", subtype ?? "UNKNOWN")], at: 0)
        draft.value = .raw(String(decoding: Base64.encode(data), as: UTF8.self))
      }
    case .unreadable?, nil:
      if draft.name == "KEY" {
        draft.setKind("text")
        draft.value = .text(property.text)
      } else {
        draft.name = "X-" + draft.name
        draft.value = .raw(property.rawText)
      }
    }
  }

  /// The media type by the bytes, or else the one that the property names; nil if the value was never declared as
  /// base64.
  private func mediaType(of data: [UInt8], _ property: Property) -> String? {
    if let type = ImageSignature.mediaType(of: data) { return type }
    let text = property.rawText.trimmed
    let isURI = text.uppercasedASCII.hasPrefix("DATA:")
    guard isURI || property.line.traits.contains(.base64) else { return nil }
    if isURI, let end = text.firstIndex(where: { $0 == ";" || $0 == "," }) {
      let type = text[..<end].dropFirst(5)
      if type.contains("/") { return String(type) }
    }
    return claimedMediaType(property) ?? Self.family(of: property) + "/octet-stream"
  }

  /// The media type named by TYPE: `JPEG`, `image/jpeg`, `X509`.
  private func claimedMediaType(_ property: Property) -> String? {
    if let type = property.value(ofParameter: "MEDIATYPE")?.nonEmpty { return type }
    guard let type = property.value(ofParameter: "TYPE")?.nonEmpty, !LabelWords.isPlace(type.uppercasedASCII) else {
      return nil
    }
    if type.contains("/") { return type }
    return Self.subtypes.first { $0.value == type.uppercasedASCII }?.key ?? Self.family(of: property) + "/"
      + type.lowercased()
  }

  private static func family(of property: Property) -> String {
    ["SOUND": "audio", "KEY": "application"][property.name] ?? "image"
  }

  /// TYPE words that differ from the second half of the media type.
  private static let subtypes = ["application/pgp-keys": "PGP", "application/pkix-cert": "X509"]

  /// 4.0 uses TYPE only for home and work.
  private func nameMediaType(in draft: inout Draft, _ property: Property) {
    let mediaType = claimedMediaType(property)
    draft.parameters.removeAll { parameter in
      parameter.name == "MEDIATYPE"
        || parameter.name == "TYPE" && !parameter.values.allSatisfy { LabelWords.isPlace($0.uppercasedASCII) }
    }
    if let mediaType { draft.parameters.append(Parameter("MEDIATYPE", mediaType)) }
  }

  private func nameSubtype(in draft: inout Draft) {
    guard let index = draft.parameters.firstIndex(where: { $0.name == "MEDIATYPE" }),
      let mediaType = draft.parameters.remove(at: index).values.first
    else { return }
    let subtype = Self.subtypes[mediaType] ?? mediaType.split(separator: "/").last.map { String($0).uppercasedASCII }
    if let subtype { draft.parameters.append(Parameter("TYPE", subtype)) }
  }
}
