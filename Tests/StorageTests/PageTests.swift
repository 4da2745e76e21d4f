import Testing

@testable import Storage

struct PageTests {
  /// Fills a page from records of these sizes, each at the cursor of its number.
  private static func filled(_ sizes: [Int], limit: Int, room: Int) -> Page<Int> {
    var page = Page<Int>(limit: limit, room: room)
    for (number, size) in sizes.enumerated() {
      guard page.hasRoom(for: size) else { break }
      page.append(number, at: PageCursor(key: "", row: Int64(number)))
    }
    return page
  }

  private static func cursor(_ number: Int64) -> String { PageCursor(key: "", row: number).text }

  @Test func whatHasRoomIsOnThePageAndNothingFollows() {
    let page = Self.filled([10, 10, 10], limit: 3, room: 100)
    #expect(page.records == [0, 1, 2] && page.nextCursor.isEmpty)
  }

  @Test func thePageEndsAtItsLimitAndTheNextBeginsBehindItsLastRecord() {
    let page = Self.filled([10, 10, 10], limit: 2, room: 100)
    #expect(page.records == [0, 1] && page.nextCursor == Self.cursor(1))
  }

  @Test func thePageEndsWhereItIsFullTheCursorCounted() {
    let cursor = Self.cursor(0).utf8.count
    #expect(Self.filled([10, 10], limit: 9, room: 20 + cursor).records == [0, 1])
    let page = Self.filled([10, 10], limit: 9, room: 19 + cursor)
    #expect(page.records == [0] && page.nextCursor == Self.cursor(0))
  }

  @Test func oneRecordOfAnySizeHasRoom() {
    let page = Self.filled([1000, 1], limit: 9, room: 100)
    #expect(page.records == [0] && page.nextCursor == Self.cursor(0))
    // What cannot be counted is as large as can be.
    #expect(Self.filled([1, .max, 1], limit: 9, room: 100).records == [0])
    #expect(Self.filled([.max, .max], limit: 9, room: 100).records == [0])
  }
}
