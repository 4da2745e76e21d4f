internal import KithMessages
internal import Spoken

extension HouseWords {
  /// What is asked back when a sentence is not sure. It says that nothing was stored, and how to say it.
  func back(_ doubt: Doubt) -> String {
    let nothing = self.say("Nothing was recorded. ", "記録していません。")
    return nothing + self.reason(doubt)
  }

  private func reason(_ doubt: Doubt) -> String {
    switch doubt {
    case .noWords: self.say("I heard no words.", "聞き取れませんでした。")
    case .tooLong: self.say("That was too long. Say it in one short sentence.", "長すぎます。短い一文で言ってください。")
    case .half:
      self.say(
        "That was not a whole sentence. Say, for example: log medication, two tablets.",
        "文が途中のようです。例えば「服薬、2錠を記録して」と言ってください。")
    case .unknown(let category): self.unknown(category)
    case .negated:
      self.say(
        "That did not happen, as I understand it. To note it, say: take a memo, and then the words.",
        "しなかったことのようです。書き留めるには「メモして」に続けて言ってください。")
    case .planned:
      self.say(
        "That is still to come, as I understand it. Say it when it is done.", "これからのことのようです。済んでから言ってください。")
    case .conditional, .unsure:
      self.say(
        "I am not sure whether it happened. Say what was done, for example: she took her medicine at eight.",
        "実際にあったことか、はっきりしません。「8時に薬を飲みました」のように言ってください。")
    case .reported:
      self.say(
        "Somebody else said that, as I understand it. If it is so, say: log medication, and the time.",
        "人から聞いたことのようです。確かなら「8時に服薬を記録して」のように言ってください。")
    case .question:
      self.say(
        "I can tell what was recorded: ask, what was logged today, or, when did she last take her medicine.",
        "記録についてお答えできます。「今日の記録を教えて」「最後に薬を飲んだのはいつ」のように聞いてください。")
    case .whose:
      self.say(
        "Whom is it about? I record for one person. Say, for example: she had lunch, or, log meal.",
        "どなたのことですか。介護を受ける方のことだけを記録します。「食事を記録して」のように言ってください。")
    case .several:
      self.say("Those were several things at once. Say one after the other.", "一度にいくつものことのようです。一つずつ言ってください。")
    case .whichTime:
      self.say(
        "At what time was it? Say the day and the hour, for example: yesterday at eight in the evening.",
        "何時のことですか。「昨日の午後8時に」のように、日と時刻を言ってください。")
    case .whichHalf(let hour):
      self.say(
        "\(hour) in the morning, or in the evening? Say it once more with one of them.",
        "午前\(hour)時ですか、午後\(hour)時ですか。もう一度言ってください。")
    case .notYet: self.say("That time has not come yet.", "まだ来ていない時刻です。")
    case .whichReminder:
      self.say(
        "I can remind you to call somebody, and every day to record. Say: remind me to call Ingrid tomorrow at ten in the morning.",
        "電話の予定と、毎日の記録をお知らせできます。「明日の午前10時に健二に電話とリマインドして」のように言ってください。")
    case .whichDay:
      self.say(
        "When? Say the day, and if need be the hour, for example: tomorrow at ten in the morning.",
        "いつですか。「明日の午前10時に」のように、日と時刻を言ってください。")
    }
  }

  private func unknown(_ category: CareCategory?) -> String {
    guard let category, category != .freeMemo else {
      return self.say(
        "I did not understand that. Say, for example: log medication, two tablets; or: what was logged today.",
        "わかりませんでした。例えば「服薬、2錠を記録して」「今日の記録を教えて」と言ってください。")
    }
    let name = self.say.name(of: category)
    return self.say(
      "Is it \(name.lowercased())? Then say: log \(name.lowercased()), and then the words.",
      "\(name)のことですか。「\(name)を記録して」に続けて言ってください。")
  }
}
