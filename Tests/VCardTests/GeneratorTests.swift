import Digest
import Foundation
import TestKit
import Testing

@testable import VCard

/// Generated cards compared with the contacts they were generated from.
@Suite struct GeneratorTests {
  private struct Truth: Decodable {
    struct Picture: Decodable {
      var bytes: Int
      var sha256: String
    }
    var uid, fn, family, given, middle, prefix, suffix, title, note, nick, bday, rev: String
    var style: Int
    var org, categories: [String]
    var kana: [String]?
    var phones, emails, urls, dates, related, addresses: [[String]]
    var photo: Picture?
  }

  private static let generator: URL? = {
    let script = TestData.root.deletingLastPathComponent().appending(path: "tools/gen_vcards.py")
    guard FileManager.default.fileExists(atPath: script.path) else {
      print("the generator of cards is absent at \(script.path)")
      return nil
    }
    return script
  }()

  @Test(.enabled(if: GeneratorTests.generator != nil, "needs the generator of cards"), .timeLimit(.minutes(5)))
  func agreesWithTheTruth() throws {
    let script = try #require(Self.generator)
    let folder = FileManager.default.temporaryDirectory.appending(path: "vcard-" + UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "all.vcf")
    let truthFile = folder.appending(path: "truth.jsonl")
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "python3", script.path, "--count", "500", "--photo-bytes", "2000", "--single", file.path, "--truth",
      truthFile.path,
    ]
    process.standardOutput = Pipe()
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    let truths = try String(contentsOf: truthFile, encoding: .utf8).split(separator: "\n").map {
      try JSONDecoder().decode(Truth.self, from: Data($0.utf8))
    }
    let readings = Array(CardReader([UInt8](try Data(contentsOf: file))))
    #expect(readings.count == 500 && truths.count == 500)
    for (reading, truth) in zip(readings, truths) {
      let card = try reading.result.get()
      #expect(card.warnings.isEmpty && card.valueWarnings().isEmpty)
      compareNames(card, truth)
      compareLists(card, truth)
      let version = truth.style < 2 ? Version.v4_0 : .v3_0
      let written = try Card(CardWriter(version: version).bytes(of: card))
      #expect(TypedValues(written).meaning == TypedValues(card).meaning)
      let isSameMeaning = SemanticForm.bytes(of: written) == SemanticForm.bytes(of: card)
      #expect(isSameMeaning)
    }
  }

  private func compareNames(_ card: Card, _ truth: Truth) {
    func list(_ text: String) -> [String] { text.isEmpty ? [] : [text] }
    let name = card.structuredName
    #expect(card.uid == (truth.style == 2 ? "urn:uuid:" : "") + truth.uid && card.bareUID == truth.uid)
    #expect(card.formattedName == truth.fn)
    #expect([name.family, name.given, name.additional] == [truth.family, truth.given, truth.middle].map(list))
    #expect([name.prefixes, name.suffixes] == [truth.prefix, truth.suffix].map(list))
    if let kana = truth.kana, truth.style == 0 || truth.style == 2 {
      #expect([card.phoneticName.family, card.phoneticName.given] == kana)
    } else {
      #expect(card.phoneticName == PhoneticName())
    }
    #expect(card.nicknames == list(truth.nick) && card.organization == truth.org)
    #expect(card.title ?? "" == truth.title && card.note ?? "" == truth.note && card.categories == truth.categories)
    let revision = truth.style == 2 ? truth.rev.filter { $0 != "-" && $0 != ":" } : truth.rev
    #expect(card.revision == revision)
    let birthday = truth.bday.hasPrefix("1604") ? "-" + truth.bday.dropFirst(4) : truth.bday
    #expect(card.birthday?.date?.description ?? "" == birthday)
    switch card.photo().photo {
    case .inline(let bytes, let mediaType)?:
      #expect(mediaType == "image/jpeg")
      #expect(bytes.count == truth.photo?.bytes && Hex.encode(SHA256.digest(bytes)) == truth.photo?.sha256)
    case .uri?: Issue.record("a URI is none of the generator's pictures")
    case nil: #expect(truth.photo == nil)
    }
  }

  private func compareLists(_ card: Card, _ truth: Truth) {
    let tokens = ["homefax": "homeFAX", "homepage": "homePage"]
    /// The label, as far as the style writes it.
    func label(_ text: String, isLost: Bool = false) -> String? { isLost ? nil : tokens[text] ?? text }
    let isPlain = truth.style == 3
    let standard = ["mobile", "home", "work", "main", "homefax", "school"]
    #expect(
      card.phones.map(\.value)
        == truth.phones.map { truth.style == 2 && standard.contains($0[0]) ? $0[1].replacing(" ", with: "-") : $0[1] })
    #expect(
      card.phones.map(\.label.canonical)
        == truth.phones.map { label($0[0], isLost: isPlain && !standard.contains($0[0])) })
    let preferred = truth.style == 1 ? nil : 1
    #expect(card.phones.first?.label.preference == preferred)
    #expect(card.emails.map(\.value) == truth.emails.map { $0[1] })
    #expect(
      card.emails.map(\.label.canonical)
        == truth.emails.map { label($0[0], isLost: isPlain && !["home", "work"].contains($0[0])) })
    #expect(card.addresses.map(\.components) == truth.addresses.map { ["", "", $0[1], $0[2], $0[3], $0[4], $0[5]] })
    #expect(card.addresses.map(\.label.canonical) == truth.addresses.map { label($0[0]) })
    #expect(
      card.addresses.map(\.countryCode) == truth.addresses.map { truth.style == 0 || truth.style == 2 ? $0[6] : nil })
    #expect(card.urls.map(\.value) == truth.urls.map { $0[1] })
    #expect(card.urls.map(\.label.canonical) == truth.urls.map { label($0[0], isLost: truth.style != 0) })
    #expect(card.dates.map { $0.date?.description } == (isPlain ? [] : truth.dates.map { $0[1] }))
    #expect(card.dates.map(\.label.canonical) == (isPlain ? [] : truth.dates.map { $0[0] }))
    #expect(card.relations.map(\.value) == (isPlain ? [] : truth.related.map { $0[1] }))
    #expect(card.relations.map(\.label.canonical) == (isPlain ? [] : truth.related.map { $0[0] }))
  }
}
