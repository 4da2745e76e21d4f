internal import KithMessages

extension Notice {
  /// The title on one line.
  var subject: String { self.title.oneLine }

  /// What it says, for who shows a title of its own: the title where there is nothing else.
  var body: String {
    let text = self.texts.joined(separator: "\n")
    return text.isEmpty ? self.subject : text
  }

  /// What it says, title and all, for who shows no title. A summary says its own.
  var plainTexts: [String] {
    guard let first = self.texts.first, !first.isEmpty else { return [self.subject] }
    guard self.kind != "care_summary" else { return self.texts }
    return ["\(self.subject)\n\(first)"] + self.texts.dropFirst()
  }
}
