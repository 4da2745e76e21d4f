internal import Foundation
internal import KithMessages

/// `/contacts/{id}/photos`: pictures as data URLs. The URL of a person's avatar requires a web session.
struct PhotoResource: Decodable, Sendable {
  let mediaType: String
  let bytes: Data

  init(from decoder: any Swift.Decoder) throws {
    let fields = try Fields(decoder)
    // data:image/jpeg;base64,...
    let url = fields.text("dataUrl")
    guard url.hasPrefix("data:"), let comma = url.firstIndex(of: ","), url[..<comma].hasSuffix(";base64"),
      let bytes = Data(base64Encoded: String(url[url.index(after: comma)...]), options: .ignoreUnknownCharacters)
    else { throw fields.missing("dataUrl") }
    let named = url[..<comma].dropFirst("data:".count).prefix { $0 != ";" }
    self.mediaType = named.isEmpty ? fields.text("mime_type") : String(named)
    self.bytes = bytes
  }

  /// The newest photo of a person.
  static func newest(of person: UInt64) -> MonicaClient.Target {
    MonicaClient.Target("contacts/\(person)/photos", [("sort", "-created_at"), ("limit", "1"), ("page", "1")])
  }
}
