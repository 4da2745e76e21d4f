internal import ArgumentParser
internal import KithMessages

/// The most records to show.
struct LimitOption: ParsableArguments {
  @Option(help: "How many to show, at most 500.")
  var limit: UInt32 = 50

  func validate() throws {
    guard (1...500).contains(self.limit) else { throw ValidationError("--limit takes a number from 1 to 500.") }
  }

  /// The lines below a search that found more than it shows.
  static func more(_ isMore: Bool) -> [String] {
    isMore ? ["", "There are more. Search for more words, or raise --limit."] : []
  }
}

/// The part of a long list to show.
struct PageOptions: ParsableArguments {
  @OptionGroup var size: LimitOption

  @Option(help: "Continue a list: the cursor that it printed.")
  var cursor = ""

  func fill(_ request: inout some PagedRequest) {
    request.limit = self.size.limit
    request.cursor = self.cursor
  }

  /// The lines below a page that is not the last.
  static func more(_ cursor: String) -> [String] {
    cursor.isEmpty ? [] : ["", "There are more. To continue, add --cursor \(cursor)"]
  }
}
