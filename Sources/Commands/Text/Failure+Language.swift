internal import Bus
internal import FailureWords
internal import KithMessages

extension Failure {
  /// The failure with its message in a language. Code, reason and details are for programs, and stay.
  func read(in language: Language) -> Failure {
    guard language == .japanese else { return self }
    guard self.reason == NameMatch.ambiguous else { return self.inJapanese }
    let lines = self.status.details.sorted { $0.value < $1.value }.map { "\n  \($0.key)  \(Printable.text($0.value))" }
    var read = self
    read.status.message = "この名前は \(lines.count) 件あります。ID で指定してください。\(lines.joined())"
    return read
  }
}
