import DAV
import Testing

@Suite struct CollectionStateTests {
  @Test(arguments: [CollectionState.Mark.none, .token("a b\nc"), .tag("\"x\""), .token("")])
  func statesAreTexts(_ mark: CollectionState.Mark) {
    for activity in [CollectionState.Activity.quiet, .changed, .busy] {
      let state = CollectionState(mark: mark, listedAt: 5, form: .version4, activity: activity)
      #expect(CollectionState(encoded: state.encoded) == state)
    }
  }

  @Test func statesOfTheFirstVersionAreRead() {
    let state = CollectionState(mark: .token("a b"), listedAt: 5, form: .version3)
    #expect(CollectionState(encoded: "dav1 5 3.0 token a b") == state)
  }

  @Test(arguments: [
    "", "dav1", "dav1 x 3.0 token t", "dav1 5 2.1 token t", "dav2 5 3.0 token t", "dav1 5 3.0 cake t",
    "dav2 5 3.0 loud token t",
  ])
  func otherTextsAreNoStates(_ text: String) { #expect(CollectionState(encoded: text) == nil) }
}
