internal import Bus
internal import KithMessages

extension Failure {
  /// What is wrong with a field, in Japanese: what its sentence says, else what the field takes, else the rule that it breaks.
  var japaneseOfField: String? {
    guard let field = self.status.details.keys.sorted().first else { return nil }
    let name = String(field.split(separator: ".").last ?? "")
    let english = self.status.details[field] ?? ""
    let sentence =
      FieldFault.sentence(english) ?? Self.japaneseFields[name] ?? FieldFault.rule(english)
      ?? "この内容は受け付けられません（\(english)）"
    return "\(field): \(sentence)"
  }

  /// By the last part of the name of a field.
  private static let japaneseFields = [
    "client_id": "ほかの記録に使われているか、長すぎます。", "path": "kithd のあるマシンの / で始まるパスにしてください。",
    "link": "通知の中のアドレスの最後の部分を、1～512 バイトで指定してください。",
    "password_file": "kithd のあるマシンの / で始まるパスにしてください。",
    "token_file": "kithd のあるマシンの / で始まるパスにしてください。",
    "category": "服薬 (medication)、食事 (meal)、排泄 (toileting)、通院 (medical_visit)、自由メモ (free_memo) のどれかにしてください。",
    "day": "日付は YYYY-MM-DD の形で書いてください。", "from_day": "日付は YYYY-MM-DD の形で書いてください。",
    "until": "最初の日か、それより後の日付を YYYY-MM-DD の形で書いてください。", "span": "日、週、月のどれかを指定してください。",
    "to_day": "日付は YYYY-MM-DD の形で書いてください。", "time": "時刻は HH:MM の形で書いてください。",
    "person_time": "時刻は HH:MM の形で書いてください。", "time_zone": "Asia/Tokyo のような時間帯の名前にしてください。",
    "language": "ja か en にしてください。話す言語は en-US のようにも書けます。", "occurred_at": "すでに過ぎた日時にしてください。",
    "in_days": "日数 (10年まで) か、日付のどちらかを指定してください。",
    "on": "これから10年以内の日時を YYYY-MM-DD か YYYY-MM-DD HH:MM の形で書いてください。", "memo": "長すぎます。",
    "transcript": "長すぎます。", "note": "長すぎます。", "reason": "長すぎます。",
    "text": "探す言葉を入れてください。",
    "channels": "送り先を1から10個、重ならないように指定してください。", "minutes": "1440分までにしてください。",
    "catch_up_minutes": "1440分までにしてください。", "recorder": "名前は短く、1行で書いてください。",
    "corrected_by": "名前は短く、1行で書いてください。", "recipient": "名前は短く、1行で書いてください。",
    "honorific": "敬称は短く、1行で書いてください。", "record": "記録の内容を指定してください。",
    "fields": "変更する項目の名前を指定してください。", "format": "csv か json にしてください。",
    "cursor": "一覧の続きの番号が違います。一覧を最初から表示してください。", "review": "none、needed、done のどれかにしてください。",
    "state": "そのような状態はありません。--help で確認してください。", "attachment": "録音のデータを1つ送ってください。",
    "offset": "録音が長すぎます。分けて録音してください。", "keep_audio_hours": "音声の保存時間は8760時間 (1年) までにしてください。",
    "channel": "mail、line、ntfy、webhook、command、desktop のどれかを指定してください。",
    "name": "1から32文字の英小文字、数字、ハイフンにしてください。", "host": "メールサーバーの名前かアドレスにしてください。",
    "port": "65535 までの番号にしてください。", "security": "starttls か tls にしてください。none はこのマシンの中だけで使えます。",
    "username": "256バイトまでの、制御文字のない名前にしてください。", "from": "ann@example.org のようなアドレスを1つ書いてください。",
    "to": "宛先を確認してください。メールは1から20件のアドレス、LINE は U、C、R で始まる ID です。",
    "address": "https:// で始まるアドレスにしてください。", "topic": "1から64文字の英数字、ハイフン、下線にしてください。",
    "priority": "1から5にしてください。", "tags": "5個までの、英数字とハイフンと下線の言葉にしてください。",
    "push": "端末のページ「リマインダー」で追加してください。", "endpoint": "知られている通知サービスの https:// で始まるアドレスにしてください。",
    "program": "プログラムの絶対パスにしてください。", "arguments": "50個までにしてください。", "ca_file": "絶対パスにしてください。",
    "secret": "パスワードかトークンを、4096バイトまでの1行で入れてください。", "secret_file": "秘密情報かそのファイルの、どちらか一方を絶対パスで指定してください。",
    "size": "大きすぎます。", "request_id": "取り消す操作の番号を指定してください。", "hub": "--hub tcp://ホスト名 の形で指定してください。",
    "kind": "そのような種類はありません。", "piece": "ID の最初か最後の4文字以上を書いてください。", "ids": "数が多すぎます。分けて実行してください。",
    "key": "--key で鍵のファイルを指定してください。", "server_key": "kith keys show で表示される鍵を指定してください。",
  ]
}

/// What is wrong with a field, as the rules of all fields say it.
private enum FieldFault {
  /// The Japanese of a sentence that says by itself what to do.
  static func sentence(_ english: String) -> String? { Self.japanese(english, Self.sentences) }

  /// The Japanese of a rule that many fields have, and that says less than what a field takes.
  static func rule(_ english: String) -> String? {
    if let range = Self.range(in: english) { return "\(range.low) から \(range.high) までの数にしてください。" }
    return Self.japanese(english, Self.rules)
  }

  private static func japanese(_ english: String, _ known: [(begins: String, japanese: String)]) -> String? {
    known.first { english.hasPrefix($0.begins) || english.contains(" \($0.begins)") }?.japanese
  }

  private static let sentences: [(begins: String, japanese: String)] = [
    ("must be times as HH:MM", "8:00 や 午後8時 のような時刻を、コンマで区切って書いてください。"),
    ("say when: give times", "いつかを指定してください。時刻 (--at 8:00,20:00)、間隔 (--every 8)、必要時 (--needed) のどれかです。"),
    ("has the same time twice", "同じ時刻が2回あります。"),
    ("nothing of '", "近い時刻の予定がありません。kith plan で時刻を確認し、--due で指定してください。"),
    ("is not due at that time", "その時刻の予定ではありません。時刻の一覧: kith plan"),
    ("must be a time of the plan", "予定の時刻を指定してください。"),
    ("give what is left, or what", "残りの数か、--added で足した数を指定してください。"),
    ("must be an amount such as", "2 や 0.5 のような数にしてください。"),
    ("must be a number such as", "37.2 のような数にしてください。"),
    ("characters; at most", "長すぎます。短くしてください。"),
    ("entries; at most", "数が多すぎます。減らしてください。"),
    ("must not be empty", "入力してください。"),
    ("must be given", "入力してください。"),
    ("lies in the future", "未来の日時は使えません。日時を確認してください。"),
    ("is not after ", "終わりは始まりより後にしてください。日付を確認してください。"),
    ("is before ", "終わりが始まりより前です。日付を確認してください。"),
    ("must be a day as YYYY-MM-DD", "日付は YYYY-MM-DD の形で書いてください。"),
    ("must be a day from 1900", "1900年から2200年までの日付にしてください。"),
    ("must be a day, at most", "YYYY-MM-DD の形の日付で、もっと短い期間にしてください。"),
    ("is no moment in time", "日時を確認してください。"),
    ("is no time. Enter", "2026-11-24T08:10 のような日時にしてください。"),
    ("must be a day that exists", "1950-05-17 か、年がわからなければ --05-17、年だけなら ~1950 の形で書いてください。"),
    ("has to be 16 hex digits", "16桁の16進数にしてください。承認待ちの鍵の指紋を見るには: kith keys pending"),
    ("is not a key: 64 hex digits", "鍵ではありません。kith keys new が表示する64桁の16進数にしてください。"),
    ("is not that of the key", "指定した鍵の指紋ではありません。鍵か指紋を確認してください。"),
  ]

  private static let rules: [(begins: String, japanese: String)] = [
    ("must be one of", "選択肢から選んでください。")
  ]

  /// The numbers of `is 1500; must be from 0 to 1440.`
  private static func range(in english: String) -> (low: Int, high: Int)? {
    let words = english.split(whereSeparator: { " .;".contains($0) })
    guard let from = words.firstIndex(of: "from"), words.count > from + 3, words[from + 2] == "to",
      let low = Int(words[from + 1]), let high = Int(words[from + 3])
    else { return nil }
    return (low, high)
  }
}
