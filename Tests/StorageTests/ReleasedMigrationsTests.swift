import Digest
import Foundation
import Testing

@testable import Storage

struct ReleasedMigrationsTests {
  /// The steps and the digests of their SQL are those of `Tests/released/migrations.txt`. A database of an earlier release has taken them: a step that
  /// is edited would be there in tests, which make their databases today, and missing in every household.
  ///
  /// After a new step add the line that the failure prints. No other line ever changes.
  @Test func aStepThatWasReleasedIsAsItWas() throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../released/migrations.txt")
    let released = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
    let now = Migration.all.map { step in
      "\(step.name) \(step.rewrite == nil ? "sql" : "sql+rewrite") \(Hex.encode(SHA256.digest(Array(step.sql.utf8))))"
    }
    #expect(released.count >= 20)
    for (number, line) in now.enumerated() {
      #expect(number < released.count && released[number] == line, "step \(number + 1) is now: \(line)")
    }
    #expect(now.count >= released.count, "a step was removed")
  }
}
