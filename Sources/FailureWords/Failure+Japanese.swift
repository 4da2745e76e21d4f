public import Bus
internal import Glibc
internal import KithMessages

extension Failure {
  /// The failure with its message in Japanese, as far as there is one. Code, reason and details are for programs, and stay.
  public var inJapanese: Failure {
    guard let sentence = self.japanese else { return self }
    var read = self
    read.status.message = sentence
    return read
  }

  private var japanese: String? {
    let details = self.status.details
    switch self.reason {
    case "FIELD_INVALID": return self.japaneseOfField
    case "HUB_NOT_RUNNING": return self.japaneseOfHub
    case "RECORD_UNKNOWN":
      if let streams = details["streams"] {
        return "「\(details["stream"] ?? "")」という通知の種類はありません。選べるもの: \(streams)"
      }
      // The English sentence names the command that lists them.
      let list = self.message.firstMatch(of: /`(kith [^`]+)`/).map { "確認するには: \($0.1)" }
      return "「\(details["record"] ?? "")」は見つかりません。\(list ?? "一覧で ID を確認してください。")"
    case "MONICA_REFUSED":
      let why = details.values.sorted().joined(separator: " ")
      return "Monicaサーバーが受け付けませんでした。内容を直してから、もう一度送ってください。" + (why.isEmpty ? "" : "（\(why)）")
    case "RECORD_EXISTS":
      if let path = details["path"] { return "\(path) はもうあるので、上書きしていません。別の名前にするか、先に削除してください。" }
      if let source = details["source"] { return "「\(source)」という取り込み元はもうあります。別の名前にしてください。" }
      return Self.japaneseSentences[self.reason]
    case "FILE_MISSING" where details["upgrade_copy"] != nil:
      return "\(details["upgrade_copy"] ?? "") にアップグレード前の写しはありません。バックアップを戻してください: kith restore ファイル"
    case "FILE_UNREADABLE", "FILE_UNWRITABLE", "FILE_MISSING", "NOT_A_BACKUP", "SOURCE_UNAVAILABLE",
      "SOURCE_UNREADABLE",
      "SOURCE_NOT_A_FOLDER", "SOURCE_NOT_A_FILE", "SOURCE_CHANGING", "SOURCE_TOO_LARGE":
      return self.japaneseOfPath
    case "CHANNEL_TROUBLE", "CHANNEL_REFUSED", "CHANNEL_LOGIN_REFUSED": return self.japaneseOfReceiver
    case "NO_SOUND": return self.japaneseOfSound
    case "BACKUP_FAILED": return self.japaneseOfBackup
    case "BACKUP_NOT_TAKEN": return self.japaneseOfHandover
    case "STORE_DAMAGED":
      guard let backup = details["backup"] else { return Self.japaneseSentences[self.reason] }
      return "バックアップ \(backup) は壊れています。何も変更していません。別のバックアップを使ってください。"
    case "BUG": return "kithd の内部で問題が起きました (ログ ID \(details["log_id"] ?? "-"))。ログを添えて報告してください。"
    default: return Self.japaneseSentences[self.reason]
    }
  }

  private static let japaneseSentences = [
    // kithd とのやりとり
    "HUB_SILENT": "kithd から返事がありません。ログ (journalctl -u kithd) を確認し、止まっていれば再起動してください。",
    "SOCKET_FORBIDDEN": "別のユーザーの kithd です。そのユーザーで sudo -u を使って実行するか、設定の [users] に登録してもらってください。",
    "NO_TERMINAL":
      "kith setup は質問をするので、端末で実行してください。コマンドでも設定できます: kith contacts source add、kith monica login、kith care settings、kith remind daily、kith channels add、kith backup。",
    // 端末のないところでの確認
    "NOT_CONFIRMED": "削除していません。端末がないため確認できません。実行するには --yes を付けてください。",
    "NOT_CONFIGURED": "ホームディレクトリーがありません。KITH_STATE_DIR か HOME を設定してください。",
    "SHUTTING_DOWN": "kithd が終了するところです。起動してからもう一度実行してください。",
    "PRINCIPAL_UNKNOWN": "このユーザーは kithd を使えません。kithd と同じユーザーで実行するか、設定の [users] に登録してもらってください。",
    "DEVICE_UNKNOWN": "この端末は登録されていないか、取り消されたか、期限が切れています。もう一度登録してください: kith web pair",
    "PORT_NOT_REMOTE": "この接続では端末のコマンドを渡せません。",
    "CODE_UNKNOWN": "このコードは使えません。新しいコードを作ってください: kith web pair",
    "TOO_MANY_CODES": "コードが多すぎるか、間違いが続きました。少し待ってからもう一度試してください。",
    "TOO_MANY_DEVICES": "登録できる端末の数を超えました。使わない端末を取り消してください: kith web devices",
    "ROLE_NOT_ALLOWED": "この操作は許可されていません。管理者に頼んでください。",
    "KEY_NOT_ADMITTED": "この鍵はまだ許可されていません。kithd のあるマシンで kith keys approve を実行してください。",
    "KEY_REFUSED": "この鍵は取り消されたか、承認待ちの鍵が多すぎます。取り消された鍵は使えません。kith keys new で新しい鍵を作ってください。",
    "KEY_REVOKED": "この鍵は取り消されていて、もう使えません。そのマシンで新しい鍵を作ってください: kith keys new --file ファイル",
    "SERVER_KEY_WRONG": "kithd の公開鍵が違います。kith keys show の鍵を --server-key で指定してください。",
    "VERSION_UNSUPPORTED": "kith と kithd のバージョンが合いません。同じバージョンにしてください。",
    "MINOR_UNSUPPORTED": "kith と kithd のバージョンが合いません。同じバージョンにしてください。",
    "SERVICE_UNKNOWN": "この kithd にはその機能がありません。kith と同じバージョンにしてください。",
    "KIND_UNKNOWN": "kith と kithd のバージョンが合いません。同じバージョンにしてください。",
    "CONTENT_TYPE_UNSUPPORTED": "kith と kithd のバージョンが合いません。同じバージョンにしてください。",
    "MALFORMED": "やりとりの内容が壊れています。もう一度実行してください。",
    "BODY_TOO_LARGE": "内容が大きすぎます。分けて実行してください。",
    "REQUEST_ID_MISSING": "やりとりの内容が壊れています。もう一度実行してください。",
    "REQUEST_ID_TOO_LONG": "やりとりの内容が壊れています。もう一度実行してください。",
    "IDEMPOTENCY_KEY_REUSED": "同じ番号で別の操作が送られました。もう一度実行してください。",
    "EXPIRED_ON_ARRIVAL": "届いたときには期限が過ぎていました。このマシンと kithd の時計を確認してください。",
    "RUNNING_TOO_LONG": "時間がかかりすぎています。結果を確認してから、もう一度実行してください。",
    "COMMAND_ENDING": "同じ操作が終わるところです。もう一度実行してください。",
    "INFLIGHT_LIMIT": "一度に実行しすぎています。少し待ってからもう一度実行してください。",
    "QUEUE_FULL": "kithd が混み合っています。少し待ってからもう一度実行してください。",
    "OUTCOME_UNKNOWN": "途中で kithd が止まりました。結果を確認してから、もう一度実行してください。",
    "CONFLICT": "ほかの操作が同じものを変更しています。もう一度実行してください。",
    "CHANGED_MEANWHILE": "表示したあとに変更されました。今の内容を確認してから、もう一度変更してください。",
    "RECORD_DELETED": "この記録は以前に登録され、今は保存されていません。もう一度は登録していません。",
    "PATH_NOT_ALLOWED": "このファイルは使えません。kithd のあるマシンで、設定の secrets.folders にあるフォルダーに置き、もう一度指定してください。",
    "FILE_MISSING": "ファイルが見つかりません。名前を確認してください。",
    "CANCELLED_BY_USER": "取り消しました。",
    // 保存
    "STORE_DAMAGED": "データベースが壊れています。kithd を止め、ファイルの写しを取ってから、最後のバックアップを戻してください。",
    "STORE_ROLLED_BACK": "保存できませんでした。もう一度実行してください。",
    "DISK_FULL": "ディスクに空きがないか、書き込めません。何も保存していません。空きを作ってから、もう一度実行してください。",
    "BLOB_MISSING": "データが見つかりません。もう一度実行してください。",
    "BLOB_QUOTA": "一度に送れる量を超えました。送りかけのものを終わらせるか、あとで (長くて1日) もう一度実行してください。",
    "DIGEST_MISMATCH": "データが途中で壊れました。もう一度実行してください。",
    "OFFSET_GAP": "データの一部が届いていません。もう一度実行してください。",
    "EPOCH_CHANGED": "kithd のデータが入れ替わりました。もう一度実行してください。",
    "SEQ_COMPACTED": "古い通知はもうありません。もう一度実行してください。",
    "FILE_UNREADABLE": "ファイルを読めません。パスと権限を確認してください。",
    "BACKUP_NOT_CONFIGURED": "バックアップの保存先がありません。kithd.toml の [backup] に folder を書き、kithd を再起動してください。",
    "BINARY_ON_TERMINAL": "文字ではないので、端末には書き出しません。ファイル名を指定するか、プログラムに渡してください: | プログラム",
    "NOT_A_BACKUP":
      "Kith のバックアップではありません。バックアップは kithd.toml の [backup] のフォルダーにあります。kithd が動いていれば、一覧を見られます: kith backup list",
    "SCHEMA_TOO_NEW": "このデータは新しい kithd が書いたものです。その版の kithd を入れてください。",
    "CLOCK_UNSET": "時計が遅れているため、何もしていません。時計を合わせてください: timedatectl set-ntp true",
    "RESTORE_UNFINISHED": "復元が途中で止まっています。kithd restore をもう一度実行してください。",
    "FILE_NOT_WRITTEN": "ファイルに書き込めません。フォルダーと権限を確認してください。",
    "ALREADY_RUNNING": "このフォルダーのデータは、動いている kithd が使っています。先に kithd を止めてください。",
    "FILE_UNWRITABLE": "ファイルに書き込めません。フォルダー、権限、ディスクの空きを確認してください。",
    "SECRET_UNREADABLE": "秘密情報を読めません。ファイルの権限を確認してください。",
    "SECRET_NOT_KEPT": "秘密情報を保存できません。何も変更していません。フォルダーの権限と空きを確認してください。",
    // 記録と文字起こし
    "NO_MICROPHONE": "録音プログラムがないか、起動できません。alsa-utils か pipewire-bin を入れるか、--file で録音を指定してください。",
    "NOTHING_RECORDED": "何も録音されていません。マイクか、録音のファイルを確認してください。",
    "NOT_RECORDING": "この記録の録音はもう終わっています。新しく録音してください。",
    "NOTHING_TO_REVIEW": "この記録には確認待ちの文字起こしがありません。",
    "SOUND_MISSING": "この記録の音声はもうありません。メモを書いてください。",
    "NO_SOUND": "この記録の録音はもうありません。文字がなければメモを書いてください。",
    "NO_PLAYER": "再生するプログラムがないか、起動できません。alsa-utils、pipewire-bin、ffmpeg のどれかを入れるか、kith care audio で書き出してください。",
    "NOT_PLAYED": "再生できませんでした。kith care audio でファイルに書き出してください。",
    "BAD_AUDIO": "録音を使えません。0.3秒から5分の、16 kHz 以上の WAV、WebM、Ogg、MP4、FLAC にしてください。",
    "NO_ENGINE": "この言語の音声認識が設定されていません。設定の [transcription] に加えるか、メモを書いてください。",
    "ENGINE_UNAVAILABLE": "音声認識を使えません。プログラムとモデルを確認してください。",
    "ENGINE_UNREACHABLE": "音声認識サーバーにつながりません。つながりしだい文字起こしします。",
    "ENGINE_BUSY": "今は音声認識を使えません。あとでもう一度試してください。",
    "ENGINE_FAILED": "音声認識に失敗しました。もう一度試すか、メモを書いてください。",
    "CONVERTER_MISSING": "この形式の録音を変換するプログラムがありません。ffmpeg を入れるか、16 kHz の WAV で録音してください。",
    "CONVERTER_BUSY": "録音を変換できませんでした。あとでもう一度試してください。",
    "NO_ROOM": "録音を置く場所がありません。ディスクの空きを確認してください。",
    "NO_WORKER": "文字起こしや送信をするワーカーが動いていません。kithd worker を起動してください。",
    "NO_CREDIT": "ワーカーがすべて使用中です。ワーカーか --slots を増やしてください。",
    "WORKER_LOST": "ワーカーとの接続が切れました。もう一度実行してください。",
    "JOB_UNKNOWN": "そのジョブはありません。kith jobs list で確認してください。残るのは1日分です。",
    "JOB_NOT_RETRYABLE": "このジョブはやり直せません。やり直せるのは、中断したジョブだけです。文字起こしは kith care retry でやり直せます。",
    "DRAINING": "ワーカーが終了するところです。別のワーカーが続けます。",
    "JOB_DEAD": "ワーカーが何度も途中で止まりました。kith jobs show で確認し、文字起こしは kith jobs retry でやり直してください。",
    // お知らせ
    "LINK_UNKNOWN": "このリンクは kithd が作ったものではありません。kith-web の「リマインダー」のページを開いてください。",
    "LINK_ENDED": "このリンクは期限が切れています。kith-web の「リマインダー」のページを開いてください。",
    "NOT_DUE": "このお知らせはまだ来ていないか、もう済んでいます。",
    "NOT_OF_PLAN": "スキップできるのは予定のお知らせだけです。これは kith remind done で終わらせてください。",
    "SNOOZED_ENOUGH": "このお知らせはもう3回延期されました。kith remind done で終わらせてください。",
    "TOO_LATE_TODAY": "毎日のお知らせは日付をまたいで延期できません。短い時間を選んでください。",
    // 送り先
    "CHANNEL_EXISTS": "その名前の送り先はもうあります。別の名前にするか、先に削除してください。",
    "TOO_LONG_FOR_CHANNEL": "この送り先には長すぎます。メールで送るか、ファイルに書き出してください。",
    "MESSAGE_OUT_OF_DATE": "時間がたちすぎたため、送りませんでした。送るには kith channels retry を実行してください。",
    "NOT_RETRIABLE": "この送信は再送できません。再送できるのは、失敗したか、届いたか不明な送信だけです。",
    "NOT_WAITING": "この送信はもう取り消せません。",
    "CHANNEL_SECRET_MISSING": "送り先の秘密情報がありません。kith channels login で登録してください。",
    "CHANNEL_LOGIN_REFUSED": "送り先がログインを拒みました。kith channels login で直してください。",
    "CHANNEL_NOT_ENCRYPTED": "メールサーバーが暗号化 (STARTTLS) に対応していないため、送りませんでした。TLS のポートか、別のサーバーを使ってください。",
    "CHANNEL_NOT_TRUSTED": "送り先の証明書を信頼できないため、送りませんでした。証明書の期限と名前、--ca-file、このマシンの時計を確認してください。",
    "CHANNEL_REFUSED": "送り先が受け取りを拒みました。宛先を確認してください。",
    "CHANNEL_TOO_MUCH": "短い時間に送りすぎました。",
    "CHANNEL_TROUBLE": "送り先に障害が起きています。",
    "CHANNEL_UNREACHABLE": "送り先につながりません。ネットワークを確認してください。",
    "CHANNEL_UNCLEAR": "送り先から返事がありませんでした。届いている可能性もあります。",
    "CHANNEL_UNAVAILABLE": "この送り先はここでは使えません。設定を確認してください。",
    "NOT_A_DEVICE": "登録した端末からだけ実行できます。スマートフォンでこのページを開いてください。",
    "PUSH_ENDED": "この端末のブラウザは通知を受け取れなくなりました。端末の「リマインダー」で、もう一度オンにしてください。",
    "CHANNEL_GONE": "送り先が削除されています。",
    // Monica サーバー
    "NOT_LOGGED_IN": "Monicaサーバーにログインしていません。設定のページか kith monica login でログインしてください。",
    "SESSION_EXPIRED": "Monicaサーバーのログインの期限が切れました。もう一度ログインしてください。",
    "TOKEN_MISSING": "このアカウントの API トークンが保存されていません。もう一度ログインしてください。",
    "TOKEN_INVALID": "この API トークンは無効か、期限が切れています。",
    "OTHER_USER": "保存されているのは別のユーザーのデータです。そのユーザーでログインするか、先にデータを消去してください。",
    "CHANGES_WAIT": "サーバーに未送信の変更があり、失われます。先に送信するか、失われてもよいことを指定してください。",
    "MONICA_UNREACHABLE": "Monicaサーバーにつながりません。インターネット接続を確認して、もう一度お試しください。",
    "MONICA_TIMEOUT": "Monicaサーバーから時間内に返事がありませんでした。もう一度お試しください。",
    "REFRESH_TIMEOUT": "Monicaサーバーから30秒以内に返事がありませんでした。もう一度お試しください。",
    "MONICA_TROUBLE": "Monicaサーバーに障害が起きています。もう一度お試しください。",
    "MONICA_FORBIDDEN": "サーバーがこの操作を禁止しています。サーバーの前にあるプロキシやファイアウォールの設定を確認してください。",
    "MONICA_PLAN_LIMIT": "この Monica アカウントのプランでは使えません。Monica の料金ページを確認してください。",
    "MONICA_GARBLED": "Monicaサーバーの返事を読み取れません。もう一度お試しください。",
    "MONICA_NOT_TRUSTED": "Monicaサーバーの証明書を信頼できません。証明書の期限と名前、この家の時計を確認してください。",
    "NOT_MONICA": "このアドレスには Monica 4 がありません。アドレスを確認してください。Monica 5 は使えません。",
    "RATE_LIMITED": "リクエストが多すぎます。少しお待ちください。",
    "TYPE_UNKNOWN": "サーバーにこの種類がありません。記録はこの家に残っています。サーバーにある種類を選んでください。",
    "GONE": "この記録はサーバーからなくなっています。",
    "PERSON_ARCHIVED": "この人はサーバーでアーカイブされているため、変更できません。先にサーバーでアーカイブを解除してください。",
    // 人と電話
    "RECORD_EXISTS": "同じものがもう登録されています。",
    "CALL_NOT_RUNNING": "通話中の電話はありません。先に通話を始めるか、電話を記録してください。",
    "CALL_RUNNING": "通話中の電話があります。どの電話を終えるか指定するか、先にそれを終えてください。",
    "CONTACT_LINKED": "この連絡先はもう別の人とつながっています。先にそのつながりを外してください。",
    "PROGRAM_MISSING": "PDF を作るプログラムが kithd のマシンにありません。kith-report を入れるか、CSV か JSON で書き出してください。",
    "PROGRAM_NOT_STARTED": "PDF を作るプログラムを起動できませんでした。少し待ってからもう一度お試しください。",
    "REPORT_FAILED": "PDF を作れませんでした。CSV か JSON で書き出してください。",
    // 連絡先の取り込み
    "NEEDS_CREDENTIALS": "アドレス帳のサーバーがログインを拒みました。kith contacts source login でパスワードを入れ直してください。",
    "SOURCE_UNAVAILABLE": "取り込み元が見つからないか、読めません。連絡先はそのまま残っています。",
    "SOURCE_UNREADABLE": "取り込み元を読む権限がありません。連絡先はそのまま残っています。",
    "SOURCE_NOT_A_FOLDER": "取り込み元がフォルダーではありません。連絡先はそのまま残っています。",
    "SOURCE_NOT_A_FILE": "取り込み元が通常のファイルではありません。フォルダーは --vdir で追加してください。",
    "SOURCE_NOT_AN_ADDRESS_BOOK": "取り込み元がアドレス帳ではありません。アドレスを確認してください。",
    "SOURCE_KIND_UNSUPPORTED": "この種類の取り込み元は、ここでは読めません。",
    "SOURCE_CHANGING": "取り込み元が書き込み中です。次の回に読みます。",
    "SOURCE_TOO_LARGE": "取り込み元が大きすぎます。",
    "SOURCE_REPLACED": "取り込み元が別のものに入れ替わったようです。連絡先はそのまま残っています。意図したことなら、kith contacts sync で削除を許可してください。",
    "UPSTREAM_DOWN": "アドレス帳のサーバーにつながりません。連絡先はそのまま残っています。",
    "UPSTREAM_MALFORMED": "アドレス帳のサーバーの返事を読み取れません。",
    "UPSTREAM_NOT_TRUSTED": "アドレス帳のサーバーの証明書を信頼できません。",
    "UPSTREAM_RATE_LIMITED": "アドレス帳のサーバーが、リクエストが多すぎると答えました。あとで自動的に続けます。",
    // ページ (kith-web)
    "HUB_AWAY": "家のKithが応答していません。しばらくしてからもう一度お試しください。",
    "TOO_MANY_WRITES": "短い時間に操作が多すぎます。少し待ってからもう一度お試しください。",
    "TOO_MANY_TOKENS": "間違った鍵が多すぎます。少し待ってからもう一度お試しください。",
    "REQUESTS_AT_ONCE": "この端末から一度に送りすぎています。少し待ってからもう一度お試しください。",
    "TOO_MANY_COMMANDS": "一度に実行しすぎています。少し待ってからもう一度お試しください。",
    "STREAMS_AT_ONCE": "開いているページが多すぎます。使っていないページを閉じてください。",
    "ENCRYPTION_NEEDED": "通信が暗号化されていないため、この端末は使えません。ハブで kith web setup を実行してください。",
    "OTHER_SITE": "ほかのサイトからの送信か、古いページです。ページを開き直してください。",
    "FORM_TOO_LONG": "一度に送る項目が多すぎるか、読めない文字があります。何も変更していません。選ぶ数を減らしてください。",
    "HOST_UNKNOWN": "kith-web のアドレスではありません。正しいアドレスなら、kith-web を --name を付けて起動してください。",
    "PAGE_UNKNOWN": "このアドレスには何もありません。", "METHOD_NOT_ALLOWED": "このアドレスはその方法では使えません。",
    "HEADER_TOO_LARGE": "リクエストのヘッダーが大きすぎます。", "LENGTH_MISSING": "大きさ (Content-Length) を付けて送ってください。",
    "RANGE_OUTSIDE": "ファイルの範囲の外です。", "BODY_TOO_SLOW": "送信に時間がかかりすぎました。もう一度お試しください。",
    "BODY_CUT": "送信が途中で切れました。もう一度お試しください。",
    "RECORDING_INTERRUPTED": "最後の部分が届く前に kithd がこの録音を終了しました。もう一度送信してください。",
    "CERTIFICATE_UNUSABLE": "証明書を使えません。kithd のマシンでファイルを確認してください。",
  ]

  private var japaneseOfHub: String {
    let details = self.status.details
    if let hub = details["hub"] {
      return "\(hub) の kithd から返事がありません。アドレスと、kithd のマシンの tcp の設定を確認してください: kith keys show"
    }
    let places = details["places"].map { "\($0) で " } ?? ""
    return "\(places)kithd が動いていません。systemctl --user start kithd などで起動してください。"
      + "ほかの場所で動いていれば、--runtime-dir か KITH_RUNTIME_DIR で指定してください。"
  }

  /// With the channel, and what its receiver says.
  private var japaneseOfReceiver: String? {
    SentencePair.japanese(of: self.message, among: SentencePair.receivers) ?? Self.japaneseSentences[self.reason]
  }

  /// With the path that is meant, and the reason of the system.
  private var japaneseOfPath: String? {
    guard let sentence = Self.japaneseSentences[self.reason] else { return nil }
    guard let path = self.status.details["path"] else { return sentence }
    let why = self.status.details["errno"].flatMap { Int32($0) }.map { " (\(Self.japanese(errno: $0)))" } ?? ""
    switch self.reason {
    case "FILE_UNREADABLE": return "\(path == "-" ? "標準入力" : path) を読めません\(why)。パスと権限を確認してください。"
    case "FILE_UNWRITABLE":
      return "\(path == "-" ? "標準出力" : path) に書き込めません\(why)。フォルダー、権限、ディスクの空きを確認してください。"
    default: return "\(path)\(why): \(sentence)"
    }
  }

  private static func japanese(errno code: Int32) -> String {
    switch code {
    case ENOENT: "ファイルかフォルダーがありません"
    case EACCES, EPERM: "権限がありません"
    case EISDIR: "フォルダーです"
    case ENOTDIR: "途中のパスがフォルダーではありません"
    case ENOSPC, EDQUOT: "空きがありません"
    case EROFS: "読み取り専用です"
    case ENAMETOOLONG: "名前が長すぎます"
    default: strerror(code).map { String(cString: $0) } ?? "errno \(code)"
    }
  }

  private var japaneseOfSound: String? {
    switch self.status.details["why"] {
    case "recording": "この記録はまだ録音中です。先に録音を終わらせてください。"
    case "typed": "この記録は手で入力したもので、録音はありません。"
    case "transcribed": "文字起こしが済んだため、この記録の録音は削除されました。"
    default: Self.japaneseSentences[self.reason]
    }
  }

  private var japaneseOfBackup: String {
    let details = self.status.details
    let said = details["said"] ?? ""
    let sentence =
      switch details["cause"] {
      case "folder_missing": "フォルダーがありません。ディスクをマウントするか、新しい保存先ならフォルダーを作ってください。"
      case "other_folder": "以前のバックアップが1つもありません。ディスクをマウントしてください。新しい保存先なら、最初の1つを作ってください: kith backup now"
      case "not_written": "ファイルを書けません。フォルダーと権限を確認してください。"
      case "key_file": "鍵やパスフレーズのファイル \(said) を使えません。場所、権限、持ち主を確認してください。"
      case "program": "\(said) を最後まで実行できませんでした。入っているか確認してください。"
      case "archive": "壊れているか、tar のアーカイブではありません (\(said))。別のバックアップを使ってください。"
      case "cipher": "暗号化か復号に失敗しました (\(said))。パスフレーズや鍵と、gpg か age が入っていることを確認してください。"
      case "identity_missing": "age の鍵で暗号化されています。秘密鍵のファイルを指定してください: --identity-file ファイル"
      default: "作れないか、読めません。フォルダー、権限、空き容量を確認してください。" + (said.isEmpty ? "" : " (\(said))")
      }
    return "バックアップ" + (details["path"].map { " \($0)" } ?? "") + ": " + sentence
  }

  private var japaneseOfHandover: String {
    let details = self.status.details
    var sentences: [String] = []
    if let worker = details["worker"] {
      let why = Failure(self.code, details["worker_reason"] ?? "", "", details: details).inJapanese.message
      sentences.append("ワーカー \(worker) がまだバックアップを受け取っていません。\(why)")
    }
    if let program = details["program"] {
      let why =
        switch details["program_why"] {
        case "stopped": "途中で kithd が止まりました。"
        case "out_of_time": "50分たっても終わりませんでした。"
        case "not_run": "実行できません。パスと権限を確認してください。"
        default: "失敗して終わりました。kithd のログに出力があります。"
        }
      sentences.append("\(program) がまだバックアップを受け取っていません。\(why)")
    }
    return sentences.isEmpty ? "ワーカーかプログラムが、まだバックアップを受け取っていません。" : sentences.joined(separator: " ")
  }
}
