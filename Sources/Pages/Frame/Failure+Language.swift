public import Bus
internal import FailureWords
internal import KithMessages

extension Failure {
  /// The failure with its message in a language. Code, reason and details are for programs, and stay.
  public func read(in language: PageLanguage) -> Failure { language == .japanese ? self.inJapanese : self }
}

extension PageView {
  /// Why something failed, in the language.
  func words(of status: Status) -> String { Failure(status: status).read(in: self.language).message }
}
