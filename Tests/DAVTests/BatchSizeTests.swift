import Testing

@testable import DAV

@Suite struct BatchSizeTests {
  @Test func whatWasTooMuchIsNotTriedAgainWhateverFailsLater() {
    var size = BatchSize()
    size.succeeded(cards: 100, bytes: 1000)
    #expect(size.count == 400)
    let isSmaller = [size.failed(asked: 100), size.failed(asked: 400)]
    #expect(isSmaller == [true, true])
    size.succeeded(cards: 50, bytes: 500)
    #expect(size.count == 50)
  }
}
