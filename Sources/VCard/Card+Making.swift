extension Card {
  /// Makes a card of properties.
  ///
  /// - Parameters:
  ///   - version: 3.0 or 4.0.
  ///   - properties: All properties except BEGIN, VERSION and END, in their order.
  ///   - limits: The bounds on its parts.
  /// - Throws: ``CardFault`` when the card exceeds a limit.
  public init(version: Version = .v4_0, properties: [Property], limits: Limits = Limits()) throws(CardFault) {
    var bytes: [UInt8] = []
    LineFolder.append(Array("BEGIN:VCARD".utf8), to: &bytes)
    LineFolder.append(Array("VERSION:\(version.rawValue)".utf8), to: &bytes)
    for property in properties { LineFolder.append(property.standalone, to: &bytes) }
    LineFolder.append(Array("END:VCARD".utf8), to: &bytes)
    try self.init(bytes, limits: limits)
  }
}

extension Property {
  /// The property as one unfolded line of UTF-8 without an encoding.
  fileprivate var standalone: [UInt8] {
    guard line.number > 0 else { return bytes }
    let parameters = parameters.filter {
      $0.name != "CHARSET" && ($0.name != "ENCODING" || line.traits.contains(.base64))
    }
    return Property(name, group: group, parameters: parameters, value: .raw(rawText)).bytes
  }
}
