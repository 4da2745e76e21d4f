import FailureWords
import KithMessages
import SwiftProtobuf
import Testing
import VCard

@testable import ContactsSync

/// The problems of cards, as Japanese readers read them.
@Suite("What is wrong with a card is said in Japanese") struct ProblemWordsTests {
  @Test("Every kind has its sentence, with the numbers of the English one")
  func kinds() {
    let repaired = Warning.Kind.allCases.map { CardProblem.problem(Warning($0, line: 1), href: "a") }
    let refused = CardFault.Kind.allCases.map { CardProblem.problem(CardFault($0, line: 1), href: "a") }
    let known = CardProblem.messages.keys.map { CardProblem.problem($0, href: "a", skipped: true) }
    #expect(known.count > 35)
    for problem in repaired + refused + known {
      #expect(CardProblem.messages[problem.kind] == problem.message, "\(problem.kind)")
      let words = problem.inJapanese
      #expect(words != problem.message && words.hasSuffix("。"), "\(problem.kind): \(words)")
      for number in problem.message.matches(of: /[0-9]+(?:[.,][0-9]+)*/) {
        #expect(words.contains(number.output), "\(problem.kind): \(words)")
      }
    }
  }

  @Test(
    "Names and numbers of a sentence stay",
    arguments: [
      (
        CardProblem.waiting("a.vcf", for: ["Work"]), "「Work」を読めるまで待っています。名前か UID が同じ登録済みのカードが、その中にあるかもしれません。"
      ),
      (
        CardProblem.waiting("a.vcf", for: ["Work", "Old", "New"]),
        "「Work」とほか2件を読めるまで待っています。名前か UID が同じ登録済みのカードが、その中にあるかもしれません。"
      ),
      (
        Self.problem(
          CardProblem.oneByOne,
          "The server did not return several cards at once: 40 of 1000 were read one by one, which is slow."),
        "サーバーが一度に複数のカードを返さないため、1000枚のうち40枚を1枚ずつ読みました。時間がかかります。"
      ),
      (
        Self.problem(
          CardProblem.bookMissing,
          CardProblem.messages[CardProblem.bookMissing, default: ""]
            + " If it was deleted on purpose: kith contacts sync home --allow-mass-delete"),
        "このアドレス帳はアカウントにもうありません。連絡先はそのまま残っています。意図して削除したのなら: kith contacts sync home --allow-mass-delete"
      ),
      (
        Self.problem(
          CardProblem.bookUnavailable,
          "https://dav.example.org:443/books/512/ cannot answer now (status 503). kithd retries in 404 seconds."),
        "アドレス帳を読めませんでした。連絡先はそのまま残っています。 (503)"
      ),
      (
        Self.problem(
          CardProblem.bookUnavailable,
          "The answer of https://dav.example.org:443/books/512/ exceeds the limit of 500 cards."),
        "アドレス帳を読めませんでした。連絡先はそのまま残っています。"
      ), (Self.problem("later_kind", "A newer sentence."), "A newer sentence."),
      (Self.problem("later_kind", ""), "later_kind"),
    ])
  func kept(problem: Problem, words: String) { #expect(problem.inJapanese == words) }

  private static func problem(_ kind: String, _ message: String) -> Problem {
    .with {
      $0.kind = kind
      $0.message = message
    }
  }
}
