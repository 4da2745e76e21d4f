public import KithMessages

extension Problem {
  /// What is wrong with a card, in Japanese; the message of a kind that is not known here.
  public var inJapanese: String {
    if let sentence = SentencePair.japanese(of: self.message, among: SentencePair.problems) { return sentence }
    guard let sentence = Self.japaneseOfKinds[self.kind] else { return self.message.isEmpty ? self.kind : self.message }
    // The status that a server replied with, and no number of its address.
    let status = self.kind == "book_unavailable" ? self.message.firstMatch(of: /\(status ([45]\d\d)\)/) : nil
    return sentence + (status.map { " (\($0.1))" } ?? "")
  }

  private static let japaneseOfKinds = [
    // ファイルとフォルダー
    "not_a_file": "リンク、フォルダー、デバイスのどれかで、通常のファイルではありません。カードのファイルを置いてください。",
    "folder_link": "フォルダーへのリンクなので、中のカードを読んでいません。そのフォルダーを別の取り込み元として追加してください。",
    "folder_too_deep": "フォルダーの中のフォルダーなので、カードを読んでいません。別の取り込み元として追加してください。",
    "folders_not_searched":
      "フォルダーが深すぎて、すべては調べていません。カードがあるかもしれません。あるフォルダーを別の取り込み元として追加してください。",
    "folder_unreadable": "フォルダーを読めません。kithd のユーザーに読む権限を付けてください。連絡先はそのまま残っています。",
    "file_unreadable": "ファイルを開けません。kithd のユーザーに読む権限を付けてください。",
    "file_too_large": "ファイルが 17 MiB を超えています。--vcf で別の取り込み元として追加してください。",
    "file_empty": "ファイルが空です。書き込みの途中かもしれません。連絡先はそのまま残っています。",
    "no_card": "ファイルにカードがありません。",
    // サーバーとアドレス帳
    "card_unreachable": "サーバーがこのカードを返しませんでした。次の回にもう一度読みます。",
    "card_waits": "取り込み元をすべて読めるまで待っています。名前か UID が同じ登録済みのカードが、残りの中にあるかもしれません。",
    "book_missing": "このアドレス帳はアカウントにもうありません。連絡先はそのまま残っています。",
    "book_unavailable": "アドレス帳を読めませんでした。連絡先はそのまま残っています。",
    "book_partial": "サーバーが返したアドレス帳の一覧が不完全です。一覧にない連絡先は残し、次の回にもう一度読みます。",
    "cards_one_by_one": "サーバーがこのアドレス帳のカードを1枚ずつしか返さないため、時間がかかります。",
    // カード
    "card_too_large": "カードが大きすぎます。",
    "line_too_long": "カードの1行が長すぎます。",
    "empty": "カードに項目がありません。",
    "cut_off": "カードが最初の項目の前で終わっています。ファイルが途中で切れているかもしれません。",
    "text_outside_card": "BEGIN:VCARD から END:VCARD までの外に文字があります。",
    "missing_begin": "BEGIN:VCARD がありません。",
    "missing_end": "END:VCARD がありません。ファイルが途中で切れているかもしれません。",
    "missing_version": "VERSION がないため、3.0 として読みました。",
    "duplicate_version": "VERSION が2つ以上あるため、最初のものを使いました。",
    "unknown_version": "VERSION が 2.1、3.0、4.0 のどれでもないため、3.0 として読みました。",
    "missing_formatted_name": "FN がないため、名前をほかの項目から取りました。",
    "unreadable_line": "項目ではない行があり、その行を除きました。",
    "unbalanced_quotes": "引用符が閉じていない項目があります。",
    "undeclared_charset": "UTF-8 ではない文字があり、文字コードの指定がありません。",
    "undecodable_charset": "文字が、指定された文字コードに合いません。",
    "unreadable_date": "日付の形がわからないため、文字のまま残しました。",
    "unreadable_revision": "REV の形がわかりません。",
    "undecodable_photo": "写真の種類がわからないため、除きました。",
    "photo_unreachable": "カードが指す写真を取得できませんでした。",
    "photo_later": "カードが指す写真をサーバーが返しませんでした。次の回にもう一度読みます。",
    "photo_too_large": "写真が 12 MiB を超えているため、除きました。",
    "too_many_properties": "項目が2,000を超えているため、残りを除きました。",
    "too_many_values": "同じ種類の値が200を超えているため、残りを除きました。",
    "too_many_parameters": "パラメーターが64を超えているため、残りを除きました。",
    "nested_too_deep": "カードの入れ子が深すぎるため、内側のカードを除きました。",
  ]
}

extension SentencePair {
  /// What is wrong with a card, where a name or a number is part of it.
  fileprivate static let problems: [SentencePair] = [
    .init(
      "This card waits until '*' and # more can be read",
      "「{1}」とほか{2}件を読めるまで待っています。名前か UID が同じ登録済みのカードが、その中にあるかもしれません。"),
    .init(
      "This card waits until '*' can be read",
      "「{1}」を読めるまで待っています。名前か UID が同じ登録済みのカードが、その中にあるかもしれません。"),
    .init(
      "The account no longer has this address book. Its contacts stay as they were. If it was deleted on purpose: *",
      "このアドレス帳はアカウントにもうありません。連絡先はそのまま残っています。意図して削除したのなら: {1}"),
    .init(
      "The server did not return several cards at once: # of # were read",
      "サーバーが一度に複数のカードを返さないため、{2}枚のうち{1}枚を1枚ずつ読みました。時間がかかります。"),
  ]
}
