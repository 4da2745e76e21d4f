import Testing

@Test func w() {}
