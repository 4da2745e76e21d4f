internal import Bus
internal import KithMessages

/// Resolves a name to one id among the results of a search.
struct NameMatch {
  /// The reason of the failure for a name that several candidates have.
  static let ambiguous = "NAME_AMBIGUOUS"

  /// A result of the search.
  struct Candidate {
    let id: String
    /// The name in lists.
    let shown: String
    /// All of its names.
    let names: [String]
  }

  /// The word for one of them: `person`, `contact`, `tag`.
  let noun: String
  let candidates: [Candidate]
  /// The command that lists them.
  let list: String
  /// The language of failures.
  let say: Language

  /// The id of the only candidate with exactly this name; if there is none, of the only candidate.
  ///
  /// - Throws: `INVALID_ARGUMENT/NAME_AMBIGUOUS` with the ids of several candidates, `NOT_FOUND/RECORD_UNKNOWN` without one.
  func id(of name: String, _ ids: ShortIDs = ShortIDs()) throws(Failure) -> String {
    let exact = self.exact(name)
    return try self.only(exact.isEmpty ? self.candidates : exact, name, ids)
  }

  /// The id of the only candidate with exactly this name.
  ///
  /// - Throws: As ``id(of:)``.
  func exactID(of name: String, _ ids: ShortIDs = ShortIDs()) throws(Failure) -> String {
    let exact = self.exact(name)
    guard exact.isEmpty, !self.candidates.isEmpty else { return try self.only(exact, name, ids) }
    throw self.unknown(name, near: self.lines(of: self.candidates, ids))
  }

  /// The candidates with exactly this name.
  func exact(_ name: String) -> [Candidate] {
    let folded = name.foldedName
    return self.candidates.filter { $0.names.contains { $0.foldedName == folded } }
  }

  private func only(_ meant: [Candidate], _ name: String, _ ids: ShortIDs) throws(Failure) -> String {
    guard let first = meant.first else { throw self.unknown(name) }
    guard meant.count == 1 else { throw self.ambiguous(name, meant, ids) }
    return first.id
  }

  /// The failure for a name that none has.
  ///
  /// - Parameter near: A line for each one with a similar name; empty = there is none.
  private func unknown(_ name: String, near: String = "") -> Failure {
    let typed = Printable.text(name)
    let sentence =
      near.isEmpty
      ? self.say(
        "No \(self.noun) is called \"\(typed)\". To see all: \(self.list)",
        "「\(typed)」という\(self.noun)はありません。一覧: \(self.list)")
      : self.say(
        "No \(self.noun) is called exactly \"\(typed)\". Give the whole name or the id of the one that you mean:\n",
        "「\(typed)」とまったく同じ名前の\(self.noun)はありません。名前の全部か ID で指定してください。\n") + near
    return Failure.unknownRecord(typed, sentence).worded
  }

  /// A line for each candidate, with its id.
  private func lines(of candidates: [Candidate], _ ids: ShortIDs) -> String {
    candidates.map { "  \(ids[$0.id])  \(Printable.text($0.shown))" }.joined(separator: "\n")
  }

  /// The failure for a name that several candidates have.
  func ambiguous(_ name: String, _ meant: [Candidate], _ ids: ShortIDs) -> Failure {
    return Failure(
      .invalidArgument, Self.ambiguous,
      self.say(
        "\"\(Printable.text(name))\" may be one of \(meant.count). Give the id of the \(self.noun) that you mean:\n",
        "「\(Printable.text(name))」は\(meant.count)件あります。ID で指定してください。\n") + self.lines(of: meant, ids),
      details: Dictionary(meant.map { ($0.id, $0.shown) }) { first, _ in first }
    ).worded
  }
}
