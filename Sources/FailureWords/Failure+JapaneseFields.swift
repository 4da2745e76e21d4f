internal import Bus
internal import KithMessages

extension Failure {
  /// What is wrong with a field, in Japanese: what its sentence says, else what the field takes, else the rule that it breaks.
  var japaneseOfField: String? {
    guard let field = self.status.details.keys.sorted().first else { return nil }
    let name = String(field.split(separator: ".").last ?? "")
    let english = self.status.details[field] ?? ""
    let category = name == "category" && english.contains("one of ") ? Self.japaneseFields[name] : nil
    let sentence =
      category ?? SentencePair.japanese(of: english, among: SentencePair.telling)
      ?? Self.japaneseOfPaths[field] ?? Self.japaneseFields[name]
      ?? SentencePair.japanese(of: english, among: SentencePair.general) ?? "この内容は受け付けられません（\(english)）"
    return "\(field): \(sentence)"
  }

  /// By the whole name: of fields whose last part is also that of another field.
  static let japaneseOfPaths = [
    "channel.mail.from": "ann@example.org のようなアドレスを1つ書いてください。",
    "channel.mail.to": "ann@example.org のようなアドレスを1～20件書いてください。",
    "channel.line.to": "U、C、R のどれかで始まり、16進数32桁が続く LINE の ID にしてください。",
    "channel.ntfy.priority": "1から5にしてください。",
    "channel.ntfy.tags": "5個までの、英数字とハイフンと下線の言葉にしてください。",
  ]

  /// By the last part of the name: right for every field that has it.
  static let japaneseFields = [
    "client_id": "ほかの記録に使われているか、長すぎます。", "path": "kithd のあるマシンの / で始まるパスにしてください。",
    "link": "通知の中のアドレスの最後の部分を、1～512 バイトで指定してください。",
    "password_file": "パスワードのファイルを確認してください。",
    "token_file": "kithd のあるマシンの / で始まるパスにしてください。",
    "category": "服薬 (medication)、食事 (meal)、排泄 (toileting)、通院 (medical visit)、自由メモ (free memo) のどれかにしてください。",
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
    "fields": "変更する項目の名前を指定してください。", "format": "書き出す形式を確認してください。",
    "cursor": "一覧の続きの番号が違います。一覧を最初から表示してください。",
    "state": "そのような状態はありません。--help で確認してください。", "attachment": "録音のデータを1つ送ってください。",
    "offset": "録音が長すぎます。分けて録音してください。", "keep_audio_hours": "音声の保存時間は8760時間 (1年) までにしてください。",
    "channel": "送り先か連絡の手段を確認してください。",
    "name": "名前を確認してください。", "host": "メールサーバーの名前かアドレスにしてください。",
    "port": "65535 までの番号にしてください。", "security": "starttls か tls にしてください。none はこのマシンの中だけで使えます。",
    "username": "256バイトまでの、制御文字のない名前にしてください。", "from": "日付は YYYY-MM-DD の形で書いてください。",
    "to": "日付は YYYY-MM-DD の形で書いてください。",
    "address": "アドレスを確認してください。", "topic": "1から64文字の英数字、ハイフン、下線にしてください。",
    "tags": "タグを確認してください。",
    "push": "端末のページ「リマインダー」で追加してください。", "endpoint": "サーバーのアドレスを確認してください。",
    "program": "プログラムの絶対パスにしてください。", "arguments": "50個までにしてください。", "ca_file": "絶対パスにしてください。",
    "secret": "パスワードかトークンを、4096バイトまでの1行で入れてください。", "secret_file": "秘密情報かそのファイルの、どちらか一方を絶対パスで指定してください。",
    "size": "大きすぎます。", "request_id": "取り消す操作の番号を指定してください。", "hub": "--hub tcp://ホスト名 の形で指定してください。",
    "kind": "そのような種類はありません。", "piece": "ID の最初か最後の4文字以上を書いてください。", "ids": "ID を確認してください。",
    "review": "none、needed、done のどれかにしてください。", "unit": "この種類に使える単位にしてください。",
    "key": "鍵のファイルを指定してください。作るには: kith keys new --file ファイル", "server_key": "kith keys show で表示される鍵を指定してください。",
  ]
}
