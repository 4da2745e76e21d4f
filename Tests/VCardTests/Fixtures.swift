import TestKit

@testable import VCard

/// A card of lines between BEGIN and END.
func card(_ lines: String..., version: String? = "3.0", end: String = "\r\n") throws -> Card {
  let all = ["BEGIN:VCARD"] + (version.map { ["VERSION:" + $0] } ?? []) + lines + ["END:VCARD"]
  return try Card(Array(all.map { $0 + end }.joined().utf8))
}

/// What a reader makes of a whole file.
func cards(_ bytes: [UInt8], limits: Limits = Limits()) -> [Result<Card, CardFault>] {
  CardReader(bytes, limits: limits).map(\.result)
}

func names(_ text: String) -> [String?] {
  cards(Array(text.utf8)).map { try? $0.get().formattedName }
}

extension Card {
  func warned(_ kind: Warning.Kind) -> Int? { warnings.first { $0.kind == kind }?.line }
}

extension SeededGenerator {
  mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }
}
