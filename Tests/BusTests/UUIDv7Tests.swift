import Bus
import Testing

@Suite struct UUIDv7Tests {
  // The time of the example in RFC 9562, A.6.
  @Test func `an id has its moment, version and variant where they belong`() throws {
    let text = UUIDv7.make(milliseconds: 0x017F_22E2_79B0).text
    let form = try Regex("017f22e2-79b0-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
    #expect(text.wholeMatch(of: form) != nil, "\(text)")
  }

  @Test func `ids sort by the time at which they were made`() {
    let ids = (0..<50).map { _ in
      // Longer than the unit within a millisecond, which is 244 ns.
      let end = ContinuousClock.now + .microseconds(1)
      while ContinuousClock.now < end {}
      return UUIDv7.make().text
    }
    #expect(ids == ids.sorted())
  }

  @Test func `no two are the same, and every bit of chance is one`() {
    let ids = (0..<10_000).map { _ in UUIDv7.make(milliseconds: 0) }
    #expect(Set(ids).count == ids.count)
    let chances = ids.compactMap { UInt64($0.text.suffix(17).filter { $0 != "-" }, radix: 16) }
    #expect(Set(chances).count == ids.count)
    // All bits except the two of the variant.
    #expect(chances.reduce(~0, &) == 0x8000_0000_0000_0000)
    #expect(chances.reduce(0, |) == 0xBFFF_FFFF_FFFF_FFFF)
  }
}
