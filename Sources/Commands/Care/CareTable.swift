internal import Bus
internal import KithMessages

/// Care entries as table rows.
struct CareTable {
  private let reply: ListCareReply

  init(_ reply: ListCareReply) { self.reply = reply }

  func lines(_ session: Session) -> [String] {
    guard !self.reply.records.isEmpty else { return [session.language("No care records found.", "記録はありません。")] }
    let say = session.language
    var table = Table(
      [
        Column("WHEN", "いつ"), Column("AGO", "経過", drops: 1),
        Column("CATEGORY", "分類"),
        Column("WHAT", "内容", wraps: true), Column("", name: "state", wraps: true), Column("ID"),
      ], hidesEmpty: true)
    for record in self.reply.records {
      table.add(
        session.zone.text(record.occurredAt), session.relative(record.occurredAt), say.category(record.category),
        record.content(session),
        record.remark(session), session.ids[record.id])
    }
    return table.lines(session) + PageOptions.more(self.reply.nextCursor, say)
  }
}

/// One entry in full.
struct CareCard {
  private let record: CareRecord

  init(_ record: CareRecord) { self.record = record }

  func lines(_ session: Session) -> [String] {
    let (record, say) = (self.record, session.language)
    var rows: [Details.Row] = [
      (say("When", "いつ"), "\(session.zone.text(record.occurredAt)) (\(session.relative(record.occurredAt)))"),
      (say("Heard", "文字起こし"), record.transcript), (say("Memo", "メモ"), record.memo),
      (say("State", "状態"), record.remark(session)), (say("Recorded by", "記録者"), record.recorder),
      (say("Engine", "エンジン"), [record.engine, record.language].filter { !$0.isEmpty }.joined(separator: " ")),
      (say("Maybe", "もしかして"), record.suggestedCategory.isEmpty ? "" : say.category(record.suggestedCategory)),
      ("ID", session.ids[record.id]),
    ]
    rows += record.versions.map { version in
      let author = version.replacedBy.isEmpty ? "" : say(" by \(version.replacedBy)", " \(version.replacedBy)")
      let time = session.relative(version.replacedAt)
      let values = [
        say.category(version.category), session.zone.text(version.occurredAt), version.transcript, version.memo,
        version.recorder,
      ]
      return (
        say("Before", "訂正前"),
        values.filter { !$0.isEmpty }.joined(separator: " / ")
          + say(" (corrected \(time)\(author))", "(\(time)に訂正\(author))")
      )
    }
    return Details(title: say.category(record.category), rows: rows).lines(session)
  }
}

extension CareRecord {
  /// The transcript, with the memo in brackets if there are both.
  func content(_ session: Session) -> String {
    switch (self.transcript.isEmpty, self.memo.isEmpty) {
    case (false, false):
      session.language("\(self.transcript) (memo: \(self.memo))", "\(self.transcript)(メモ: \(self.memo))")
    case (false, true): self.transcript
    default: self.memo
    }
  }

  /// The state in words; empty if nothing is left to do.
  func remark(_ session: Session) -> String {
    let say = session.language
    guard !self.hasDeletedAt else { return say("deleted", "削除済み") }
    switch self.knownState {
    case .recording: return say("being recorded", "録音中")
    case .pendingTranscription:
      let reason = Self.words(for: self.reason, say)
      guard self.hasNextAttemptAt else {
        return self.reason.isEmpty
          ? say("being transcribed", "文字起こし中") : say("waits: \(reason)", "待機中: \(reason)")
      }
      let time = session.next(self.nextAttemptAt)
      return say("next attempt \(time): \(reason)", "\(time)に再試行: \(reason)")
    case .needsMemo:
      let reason = Self.words(for: self.reason, say)
      return say("needs a memo: \(reason)", "メモを書いてください: \(reason)")
    case .written, .transcribed, nil: return self.knownReview == .needed ? say("please check", "要確認") : ""
    }
  }

  /// A reason in words, with the engine's message if there is one.
  private static func words(for reason: String, _ say: Language) -> String {
    let parts = reason.split(separator: ": ", maxSplits: 1).map(String.init)
    guard parts.count == 2 else { return self.words(forWord: reason, say) }
    return "\(self.words(forWord: parts[0], say)) (\(EngineComplaint.words(parts[1], say)))"
  }

  private static func words(forWord reason: String, _ say: Language) -> String {
    switch reason {
    case "no_speech": say("nothing was heard", "声が聞き取れませんでした")
    case "no_sound": say("nothing was recorded", "何も録音されていません")
    case "interrupted": say("recording was interrupted", "録音が途中で切れました")
    case "discarded": say("the recording was discarded", "音声は破棄されました")
    case "sound_expired": say("the recording was deleted after its storage time", "音声の保存期間が過ぎました")
    case "no_engine": say("no speech engine for this language", "この言語の音声認識がありません")
    case "no_worker": say("no worker for transcription is connected", "文字起こしをするワーカーがいません")
    case "no_credit": say("all workers that transcribe are busy", "文字起こしをするワーカーがすべて使用中です")
    case "engine_unreachable": say("the speech server is unreachable", "音声認識サーバーにつながりません")
    case "engine_failed": say("the speech engine failed", "音声認識に失敗しました")
    case "engine_unavailable": say("the speech engine cannot be used", "音声認識を使えません")
    case "engine_busy": say("the speech engine is busy", "音声認識が混み合っています")
    case "bad_audio": say("the recording cannot be used", "録音を使えません")
    case "converter_missing":
      say(
        "install ffmpeg to convert recordings of this format, or record WAV of 16 kHz",
        "この形式の録音を変換する ffmpeg がありません。ffmpeg を入れるか、16 kHz の WAV で録音してください")
    case "job_dead": say("several workers failed while transcribing it", "ワーカーが何度も途中で止まりました")
    case "transcript_too_long": say("the transcript is too long", "文字起こしが長すぎます")
    case "": say("nothing was written", "何も書かれていません")
    // The reason of a failure.
    default:
      Failure(.unknown, reason.uppercased(), reason.replacing("_", with: " ")).read(in: say).message
    }
  }
}
