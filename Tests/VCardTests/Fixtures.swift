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

/// Random numbers by seed (splitmix64), so that a failure can be repeated.
struct Seeded: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }
}
