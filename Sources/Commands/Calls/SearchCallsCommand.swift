internal import ArgumentParser
internal import KithMessages

struct SearchCallsCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "search", abstract: "Find calls by words of their notes and tags, newest first.",
    discussion: "Example: kith call search garden --person ann")

  @OptionGroup var global: GlobalOptions

  @Argument(help: "The text to search for.")
  var text: [String]

  @OptionGroup var filter: CallFilterOptions

  @OptionGroup var size: LimitOption

  func run(_ session: Session) async throws {
    var request = SearchCallsRequest()
    request.text = self.text.joined(separator: " ")
    request.limit = self.size.count
    request.filter = try await self.filter.filter(session)
    let reply = try await session.ask(request)
    try await session.show(reply, Self.lines(reply.hits, session) + LimitOption.more(reply.more, session.language))
  }

  private static func lines(_ hits: [CallHit], _ session: Session) -> [String] {
    guard !hits.isEmpty else { return [session.language("No calls found.", "電話はありません。")] }
    let (style, say) = (session.console.style, session.language)
    return hits.flatMap { hit in
      let call = hit.call
      let head = [
        call.personName, session.ago(call.calledAt), call.duration(say), CallEmotion.face(call.emotion),
        call.mark(say),
      ]
      return [
        "\(Printable.text(head.filter { !$0.isEmpty }.joined(separator: ", ")))  \(style.dim(Printable.text(session.ids[call.id])))",
        "    \(Excerpt(hit).text(style))",
      ]
    }
  }
}

/// An excerpt of a note, with the found words marked.
struct Excerpt {
  private let text: [Unicode.Scalar]
  private let marks: [Range<Int>]

  init(_ hit: CallHit) {
    let text = Array(hit.excerpt.unicodeScalars)
    self.text = text
    self.marks = hit.marks.map { mark in
      let start = min(Int(mark.start), text.count)
      return start..<min(start + Int(mark.length), text.count)
    }.sorted { $0.lowerBound < $1.lowerBound }
  }

  /// Marks are bold if there is colour, else in guillemets.
  func text(_ style: Style) -> String {
    var text = ""
    var end = 0
    for mark in self.marks where mark.lowerBound >= end && !mark.isEmpty {
      text += self.piece(end..<mark.lowerBound)
      text += style.isOn ? style.bold(self.piece(mark)) : "«\(self.piece(mark))»"
      end = mark.upperBound
    }
    return text + self.piece(end..<self.text.count)
  }

  private func piece(_ range: Range<Int>) -> String {
    var piece = String.UnicodeScalarView()
    piece.append(contentsOf: self.text[range])
    return Printable.text(String(piece))
  }
}
