internal import Foundation

/// The name of a backup's file: `kith-20260131T033000Z-3f9a2c1b.tar`, with `.gpg` if it is encrypted.
struct BackupName: Sendable, Hashable {
  /// When it was made, in nanoseconds since 1970; whole seconds.
  let moment: Int64
  /// Tells the files of a household from those of others: letters and digits.
  let household: String
  let isEncrypted: Bool

  init(at moment: Int64, household: String, isEncrypted: Bool) {
    self.moment = moment / 1_000_000_000 * 1_000_000_000
    self.household = household
    self.isEncrypted = isEncrypted
  }

  /// Reads a name; nil if it is none.
  init?(_ text: String) {
    let parts = text.split(separator: ".", maxSplits: 1)
    let words = parts.first?.split(separator: "-") ?? []
    guard words.count == 3, words[2].allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }),
      let time = try? Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted).parse(String(words[1]))
    else { return nil }
    self.init(
      at: Int64(time.timeIntervalSince1970) * 1_000_000_000, household: String(words[2]),
      isEncrypted: text.hasSuffix(".gpg"))
    guard self.text == text else { return nil }
  }

  /// The name.
  var text: String {
    let time = Date(timeIntervalSince1970: Double(self.moment / 1_000_000_000)).ISO8601Format()
    return "kith-\(time.filter { !"-:".contains($0) })-\(self.household).tar\(self.isEncrypted ? ".gpg" : "")"
  }
}
