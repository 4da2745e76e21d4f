internal import Bus
internal import FailureWords

extension Failure {
  /// The failure with its message in a language. Code, reason and details are for programs, and stay.
  func read(in language: Language) -> Failure {
    language == .japanese && !self.isInReadersLanguage ? self.inJapanese : self
  }

  /// The same failure, whose message was chosen in the language of its reader.
  var worded: Failure {
    var failure = self
    failure.isInReadersLanguage = true
    return failure
  }
}
