import Digest
import Foundation
import TestKit
import Testing

@testable import VCard

/// Every sample file compared with what the majority of three other readers found in it.
@Suite struct SampleTests {
  private static let samples = TestData.folder("vcards")

  @Test(.enabled(if: SampleTests.samples != nil, "needs the sample files"))
  func agreesWithTheMajority() throws {
    let folder = try #require(Self.samples)
    let json = try JSONSerialization.jsonObject(with: Data(contentsOf: folder.appending(path: "expected.json")))
    let files = try #require((json as? [String: Any])?["files"] as? [String: [String: Any]])
    var compared = 0
    var different: [String] = []
    for (name, file) in files.sorted(by: { $0.key < $1.key }) {
      let expected = (file["cards"] as? [[String: Any]] ?? []).compactMap { $0["expect"] as? [String: Any] }
      guard !expected.isEmpty else { continue }
      // The other readers make an empty card of BEGIN and END alone, which is a fault here.
      let empty = try Card(Array("BEGIN:VCARD\nX-EMPTY:\nEND:VCARD\n".utf8))
      let cards = CardReader([UInt8](try Data(contentsOf: folder.appending(path: name)))).map { reading in
        (try? reading.result.get()) ?? empty
      }
      compared += 1
      guard cards.count == expected.count else {
        different.append("\(name): \(cards.count) cards, expected \(expected.count)")
        continue
      }
      for (index, (card, values)) in zip(cards, expected).enumerated() {
        let ours = card.comparable()
        for (key, value) in values.sorted(by: { $0.key < $1.key }) {
          compared += 1
          let theirs = try text(of: value)
          let mine = try text(of: ours[key] ?? "missing")
          if mine != theirs {
            different.append("\(name)[\(index)] \(key): \(mine.prefix(300)) expected \(theirs.prefix(300))")
          }
        }
      }
    }
    print("compared \(compared) values of \(files.count) files, \(different.count) differ")
    for line in different.prefix(120) { print("  " + line) }
    #expect(compared > 20_000)
    #expect(Double(different.count) <= Double(compared) * 0.005)
  }

  /// JSON with sorted keys, texts composed and trimmed, and empty texts as null.
  private func text(of value: Any) throws -> String {
    let data = try JSONSerialization.data(
      withJSONObject: normalize(value), options: [.sortedKeys, .fragmentsAllowed, .withoutEscapingSlashes])
    return String(decoding: data, as: UTF8.self)
  }

  private func normalize(_ value: Any) -> Any {
    switch value {
    case let text as String:
      let text = text.replacing("\r\n", with: "\n").precomposedStringWithCanonicalMapping
        .trimmingCharacters(in: .whitespacesAndNewlines)
      return text.isEmpty ? NSNull() : text
    case let list as [Any]: return list.map(normalize)
    case let table as [String: Any]: return table.mapValues(normalize)
    default: return value
    }
  }
}

extension Card {
  /// The card in the shape of expected.json.
  fileprivate func comparable() -> [String: Any] {
    func orNull<Value>(_ value: Value?) -> Any { value.map { $0 as Any } ?? NSNull() }
    func groupLabel(_ label: Label) -> Any { label.authority == .groupLabel ? orNull(label.raw) : NSNull() }
    /// Without blanks around commas.
    func tight(_ text: String) -> String { text.replacing(/\s*,\s*/, with: ",") }
    func joined(_ values: [String]) -> String { values.joined(separator: ",") }
    let name = structuredName
    let parts = [name.family, name.given, name.additional, name.prefixes, name.suffixes].map { tight(joined($0)) }
    let organization = organization
    let photos = properties(named: "PHOTO").compactMap { property -> Any? in
      switch InlineContent(property.line, in: property.bytes) {
      case .base64(let range)?:
        guard let bytes = Base64.decode(property.bytes, in: range) else { return nil }
        return ["bytes": bytes.count, "sha256": Hex.encode(SHA256.digest(bytes))] as [String: Any]
      case .uri(let uri)?: return ["uri": uri]
      case .unreadable?, nil: return nil
      }
    }
    return [
      "version": orNull(claimedVersion),
      "fn": orNull(properties(named: "FN").first?.text),
      "n": property(named: "N") == nil ? NSNull() : parts,
      "org": organization.isEmpty ? NSNull() : organization,
      "note": orNull(properties(named: "NOTE").first?.text),
      "uid": orNull(bareUID),
      "phones.value": phones.map(\.value), "phones.types": phones.map(\.label.types),
      "phones.pref": phones.map { $0.label.preference != nil }, "phones.label": phones.map { groupLabel($0.label) },
      "emails.value": emails.map(\.value), "emails.types": emails.map(\.label.types),
      "emails.pref": emails.map { $0.label.preference != nil }, "emails.label": emails.map { groupLabel($0.label) },
      "addresses.parts": addresses.map { $0.components.map(tight) }, "addresses.types": addresses.map(\.label.types),
      "addresses.label": addresses.map { groupLabel($0.label) },
      "photos": photos,
    ]
  }
}
