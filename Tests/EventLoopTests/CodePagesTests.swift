import CLinux
import Foundation
import Testing

struct CodePagesTests {
  @Test func `code that was given back is gone from memory, and runs when it is called`() throws {
    let before = try Self.residentCode()
    #expect(kith_give_back_code() > 0)
    let after = try Self.residentCode()
    #expect(after > 0 && after < before)
    #expect([3, 1, 2].sorted() == [1, 2, 3])
  }

  /// The code in this process's memory, in kB. proc_pid_smaps(5).
  private static func residentCode() throws -> Int {
    var isCode = false
    var total = 0
    for line in try String(contentsOfFile: "/proc/self/smaps", encoding: .utf8).split(separator: "\n") {
      let words = line.split(separator: " ")
      if words.count > 1, words[0].contains("-") { isCode = words[1] == "r-xp" }
      if isCode, words.first == "Rss:", words.count > 1 { total += Int(words[1]) ?? 0 }
    }
    return total
  }
}
