internal import Bus
internal import KithMessages

extension Failure {
  /// The failure with a sentence in the language of who reads it. Code, reason and details are for programs and stay.
  func read(in tongue: Tongue) -> Failure {
    guard tongue == .japanese, let sentence = self.japanese else { return self }
    var read = self
    read.status.message = sentence
    return read
  }

  private var japanese: String? {
    switch self.reason {
    case "FIELD_INVALID": return self.japaneseOfField
    case "RECORD_UNKNOWN": return "「\(self.status.details["record"] ?? "")」は見つかりません。一覧で ID を確認してください。"
    case "HUB_NOT_RUNNING": return "kithd が動いていません。systemctl --user start kithd などで起動してください。"
    case "NO_MICROPHONE": return "録音プログラムが見つかりません。alsa-utils か pipewire-bin を入れるか、--file で録音を指定してください。"
    case "FILE_UNREADABLE": return "ファイルを読めません。パスと権限を確認してください。"
    case "NOTHING_TO_REVIEW": return "この記録には確認待ちの文字起こしがありません。"
    case "NOT_DUE": return "このお知らせはまだ来ていないか、もう済んでいます。"
    case "SNOOZED_ENOUGH": return "このお知らせはもう3回延期されました。kith remind done で終わらせてください。"
    case "TOO_LATE_TODAY": return "毎日のお知らせは日付をまたいで延期できません。短い時間を選んでください。"
    case "SOUND_MISSING", "NO_SOUND": return "この記録の音声はもうありません。メモを書いてください。"
    case "CHANNEL_EXISTS": return "その名前の送り先はもうあります。別の名前にするか、先に削除してください。"
    case "TOO_LONG_FOR_CHANNEL": return "この送り先には長すぎます。メールで送るか、ファイルに書き出してください。"
    case "NOT_RETRIABLE": return "この送信は再送できる状態ではありません。"
    case "NOT_WAITING": return "この送信はもう取り消せません。"
    case "CHANNEL_SECRET_MISSING": return "送り先の秘密情報がありません。kith channels login で登録してください。"
    case "CHANNEL_LOGIN_REFUSED": return "送り先がログインを拒みました。kith channels login で直してください。"
    case "CHANNEL_NOT_ENCRYPTED": return "メールサーバーが暗号化 (STARTTLS) に対応していないため、送りませんでした。"
    case "CHANNEL_NOT_TRUSTED": return "送り先の証明書を信頼できないため、送りませんでした。"
    case "CHANNEL_REFUSED": return "送り先が受け取りを拒みました。宛先を確認してください。"
    case "CHANNEL_TOO_MUCH": return "短い時間に送りすぎました。あとで再送されます。"
    case "CHANNEL_TROUBLE": return "送り先に障害が起きています。再送されます。"
    case "CHANNEL_UNREACHABLE": return "送り先につながりません。ネットワークを確認してください。"
    case "CHANNEL_UNCLEAR": return "送り先から返事がありませんでした。届いている可能性もあります。"
    case "CHANNEL_UNAVAILABLE": return "この送り先はここでは使えません。設定を確認してください。"
    case "CHANNEL_GONE": return "送り先が削除されています。"
    case "SECRET_UNREADABLE": return "秘密情報を読めません。ファイルの権限を確認してください。"
    case "STORE_DAMAGED": return "保存先が壊れています。バックアップから戻してください。"
    case "DISK_FULL": return "ディスクに空きがありません。何も変更していません。"
    case "CANCELLED_BY_USER": return "取り消しました。"
    default: return nil
    }
  }

  private var japaneseOfField: String? {
    guard let field = self.status.details.keys.sorted().first else { return nil }
    let what: String
    switch field.split(separator: ".").last ?? "" {
    case "category": what = "medication、meal、toileting、medical_visit、free_memo のどれかにしてください。"
    case "day", "from_day", "to_day": what = "日付は YYYY-MM-DD の形で書いてください。"
    case "time", "person_time": what = "時刻は HH:MM の形で書いてください。"
    case "time_zone": what = "Asia/Tokyo のような時間帯の名前にしてください。"
    case "language": what = "ja か en にしてください。"
    case "occurred_at": what = "すでに過ぎた日時にしてください。"
    case "in_days": what = "日数か、日付のどちらかを指定してください。"
    case "on": what = "これから来る日時を YYYY-MM-DD か YYYY-MM-DD HH:MM の形で書いてください。"
    case "memo", "transcript", "note": what = "長すぎます。"
    case "text": what = "探す言葉を入れてください。"
    case "channels": what = "送り先を1から10個、重ならないように指定してください。"
    case "minutes", "catch_up_minutes": what = "1440分までにしてください。"
    default: what = "正しい値にしてください。"
    }
    return "\(field): \(what)"
  }
}
