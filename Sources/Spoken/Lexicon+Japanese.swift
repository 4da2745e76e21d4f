internal import KithMessages

extension Lexicon {
  /// Japanese.
  static let japanese = Lexicon(Self.japaneseGroups, longest: 10) { TimeReader.japanese($0, $1) }

  private static let japaneseGroups: [(Role, String)] =
    [
      (.filler, "えーと|えっと|ええと|えー|あのー|あの|うーん|ねえ|じゃあ|まあ|すみません"),
      (
        .plain,
        """
        さん|様|ちゃん|よ|頃|ごろ|くらい|ぐらい|まで|だけ|ずつ|一緒に|ちゃんと|きちんと|無事|無事に|自分で|一人で|ゆっくり|もう|今|たった今|さっき|先ほど|さきほど|
        少し前|ちょうど|です|お願いします|お願い|ください|いつも通り|ほど
        """
      ),
      (.amount, "全部|半分|少し|たくさん|残さず|全量|少量|多め|少なめ|多量|一口|半錠|完食"),
      (
        .kind,
        """
        錠|割|杯|個|枚|滴|粒|包|本|単位|ミリ|ミリグラム|cc|グラム|ml|mg|コップ|湯呑み|お椀|口|切れ|膳|袋|カプセル|パーセント|%|人分|両目に|右目に|左目に|普通|
        いつもの
        """
      ),
      (.link, "を|は|が|に|の|で|も|へ|から|ので|けど"), (.joiner, "と|や"),
      (
        .kind,
        """
        朝食後|昼食後|夕食後|食後|食前|食間|朝食前|昼食前|夕食前|朝食のあと|昼食のあと|夕食のあと|朝食の後|昼食の後|夕食の後|朝ご飯の後|昼ご飯の後|晩ご飯の後|
        ごはんの後|ご飯の後|寝る前|就寝前|食事の後|食事のあと|おやつに
        """
      ),
      (
        .subject,
        """
        お母さん|母|お母ちゃん|ママ|お父さん|父|パパ|おばあちゃん|おばあさん|祖母|おじいちゃん|おじいさん|祖父|妻|夫|家内|主人|彼女|彼|本人|お袋|親父|ばあちゃん|
        じいちゃん|うちの母|うちの父
        """
      ),
      (.own, "私|わたし|僕|ぼく|俺|おれ|自分|あなた|うちら"),
      (.others, "犬|猫|イヌ|ネコ|ペット|息子|娘|孫|友達|子供|客"),
      (
        .command,
        """
        記録して|記録してほしい|記録して欲しい|記録してください|記録しておいて|記録しておいてください|記録しといて|記録をお願い|記録お願い|記録お願いします|記録をお願いします|登録して|登録してください|
        記録をつけて|記録を残して|記録
        """
      ),
      (
        .memo,
        "メモして|メモしてください|メモしておいて|メモしておいてください|メモしといて|メモを残して|メモを残しておいて|メモ|自由メモ|メモをお願い|メモお願いします|メモを取って"
      ),
      (
        .remind,
        """
        リマインドして|リマインドしてください|リマインド|リマインダー|リマインダーを|知らせて|知らせてください|思い出させて|通知して|教えてくださいね|お知らせして
        """
      ),
      (.daily, "毎日|毎日の|毎"), (.call, "に電話|へ電話|に連絡"), (.on, "オンにして|つけてください|オン|始めて|有効にして"),
      (.off, "オフにして|オフ|止めて|やめて|停止して|無効にして|切って"),
      (
        .question,
        "何|なに|何を|何が|誰|だれ|どこ|どう|どんな|なぜ|教えて|教えてください|読んで|読んでください|読み上げて|聞かせて|見せて|何回|どのくらい|どれくらい|どれだけ"
      ),
      (.when, "いつ|何時|何時に|いつごろ|いつ頃|何分前|何時間前"),
      (.last, "最後|最後に|前回|前回の|この前|直近の|最近|最後の"),
      (.log, "記録した|記録しました|記録された|記録されました|記録が|何があった|何がありました|何かあった|まとめ|日誌|記録を|記録の"),
      (.asked(.meal), "食べてる|食べている"),
      (.name(.medication), "服薬|薬|お薬|くすり"), (.name(.meal), "食事|ご飯|ごはん"), (.name(.toileting), "排泄|トイレ"),
      (.name(.medicalVisit), "通院|受診"),
    ] + Self.japaneseThings + Self.japaneseVerbs + [(.doubt(.conditional), Self.japaneseConditions)]
    + Self.japaneseDoubts

  private static let japaneseThings: [(Role, String)] = [
    (
      .object(.medication),
      """
      目薬|湿布|インスリン|血圧の薬|痛み止め|睡眠薬|胃薬|風邪薬|かぜ薬|軟膏|塗り薬|座薬|錠剤|粉薬|漢方|漢方薬|ビタミン剤|服用|朝の薬|昼の薬|夜の薬|夕方の薬|
      寝る前の薬|食後の薬|食前の薬|朝食後の薬|昼食後の薬|夕食後の薬|点眼|朝の分の薬|頭痛薬|便秘薬|下剤
      """
    ),
    (
      .object(.meal),
      """
      朝食|昼食|夕食|朝ご飯|昼ご飯|晩ご飯|夕ご飯|朝ごはん|昼ごはん|晩ごはん|夕ごはん|お昼ご飯|お昼ごはん|お昼|夕飯|昼飯|おやつ|うどん|そば|お粥|おかゆ|パン|スープ|
      味噌汁|みそ汁|おかず|魚|肉|野菜|果物|りんご|バナナ|みかん|プリン|ゼリー|ヨーグルト|牛乳|お茶|水|お水|水分|ジュース|コーヒー|おにぎり|卵|豆腐|サラダ|カレー|
      ラーメン|麺|煮物|デザート|アイス|雑炊|紅茶|緑茶|麦茶|ライス|カレーライス|ハンバーグ|オムレツ|トースト|サンドイッチ|パスタ|スパゲッティ|シチュー|コロッケ|チーズ|ケーキ|クッキー|せんべい|卵焼き|目玉焼き|焼き魚|
      刺身|寿司|天ぷら|納豆|漬物|いちご|ぶどう|梨|桃|柿|メロン|スイカ|オレンジ|じゃがいも|かぼちゃ|にんじん|トマト|ほうれん草|豚肉|鶏肉|牛肉|鮭|そうめん|焼きそば|親子丼|牛丼|
      お好み焼き|餅|お餅|まんじゅう|ようかん|チョコレート|ポカリ|とろみ茶|りんごジュース|オレンジジュース|肉じゃが|茶碗蒸し|白米|玄米
      """
    ),
    (
      .object(.toileting),
      "お手洗い|排便|排尿|便|尿|大便|小便|おしっこ|うんち|おむつ|オムツ|紙おむつ|パッド|尿取りパッド|軟便|普通便|下痢|お通じ|ポータブルトイレ"
    ),
    (
      .object(.medicalVisit),
      """
      病院|クリニック|医院|内科|外科|眼科|歯科|皮膚科|整形外科|耳鼻科|歯医者|診察|検査|往診|訪問看護|訪問看護師|看護師|先生|医師|お医者|お医者さん|定期検診|健診|
      診療所
      """
    ),
  ]

  private static let japaneseVerbs: [(Role, String)] = [
    (
      .verb(Verb(categories: [.medication, .meal])),
      "飲んだ|飲みました|のんだ|のみました|飲んでくれた|飲んでくれました|飲んでもらいました|飲み終わりました|いただきました"
    ),
    (
      .verb(Verb(categories: [.medication, .meal], doer: .giver)),
      "飲ませた|飲ませました|あげた|あげました|与えた|与えました"
    ),
    (
      .verb(Verb(categories: [.medication])),
      "さした|さしました|差した|差しました|塗った|塗りました|貼った|貼りました|打った|打ちました|注射した|注射しました"
    ),
    (
      .verb(Verb(categories: [.medication], things: ["目薬", "点眼", "座薬", "軟膏", "塗り薬"])),
      "入れた|入れました|使った|使いました"
    ),
    (
      .verb(Verb(categories: [.meal], whole: .meal)),
      "食べた|食べました|食べてくれた|食べてくれました|食べ終わった|食べ終わりました|召し上がりました|完食した|完食しました"
    ),
    (.verb(Verb(categories: [.meal], whole: .meal, doer: .giver)), "食べさせた|食べさせました"),
    (
      .verb(Verb(categories: [.meal], things: Self.japaneseEvents.union(["水分"]))),
      "とった|とりました|取った|取りました|摂った|摂りました"
    ),
    (
      .verb(Verb(categories: [.medication, .meal, .toileting, .medicalVisit], things: Self.japaneseDeeds)),
      "した|しました"
    ),
    (.verb(Verb(categories: [.medication, .meal, .toileting, .medicalVisit])), "済ませた|済ませました"),
    (
      .verb(Verb(categories: [.medication, .meal, .toileting, .medicalVisit], things: Self.japaneseEvents)),
      "終わった|終わりました|済んだ|済みました|終えた|終えました"
    ),
    (
      .verb(Verb(categories: [.toileting, .medicalVisit])),
      "行った|行きました|いった|いきました|行ってきた|行ってきました|行って来ました"
    ),
    (
      .verb(Verb(categories: [.toileting, .medicalVisit], doer: .giver)),
      "連れて行った|連れて行きました|連れていった|連れていきました"
    ),
    (.verb(Verb(categories: [.toileting], isPlaceless: true)), "出た|出ました"),
    (.verb(Verb(categories: [.toileting, .medicalVisit], isPlaceless: true)), "あった|ありました"),
    (
      .verb(Verb(categories: [.toileting], things: ["おむつ", "オムツ", "紙おむつ", "パッド", "尿取りパッド"])),
      "替えた|替えました|換えました|交換した|交換しました|取り替えた|取り替えました|かえました|変えました"
    ),
    (.verb(Verb(categories: [.medicalVisit])), "受けた|受けました|診てもらった|診てもらいました|かかりました"),
    (
      .verb(Verb(categories: [.medicalVisit], doer: .either)),
      "来た|来ました|きました|来てくれました|みえました"
    ),
  ]

  /// 飲んだら, 食べましたら: what is not done yet.
  private static var japaneseConditions: String {
    let verbs = self.japaneseVerbs.flatMap {
      $0.1.split(whereSeparator: { "|\n".contains($0) }).map { String($0).trimmed }
    }
    return verbs.map { "\($0)ら" }.joined(separator: "|")
  }

  private static let japaneseDoubts: [(Role, String)] = [
    (
      .doubt(.negated),
      "ない|なかった|ません|ませんでした|忘れ|拒否|嫌が|いやが|嫌だ|ずに|まだ|できな|吐い|吐き|中止|やめた|やめました|飲み残し|無理|残り|残した|残しました|残って|残る|余り|余っ|落と|落ち|こぼし|捨て|なくし|"
        + "無くし|副作用|キャンセル"
    ),
    (
      .doubt(.planned),
      """
      予定|予約|延期|来月|つもり|あとで|後で|これから|飲みます|行きます|食べます|飲ませます|あげます|出ます|します|もうすぐ|そろそろ|今度|次回|飲んで|飲ませて|食べて|食べさせて|
      飲みたい|食べたい|行きたい|ましょう|ていい|てもいい|たほうが|た方が
      """
    ),
    (.doubt(.conditional), "たら|だら|れば|なら|もし|場合|だ時|た時|たとき|だとき|ても|だ後|た後|たあと|だあと"),
    (
      .doubt(.unsure),
      "かも|と思|たぶん|多分|らしい|はず|みたい|ようだ|ようです|でしょう|だろう|ましたね|たね|だね|きっと|おそらく|たかな|だかな|気がする|すぎ|間違|ときどき|時々|たまに|いつも"
    ),
    (.doubt(.several), "違う|違い|違った|ちがう|訂正|じゃなくて|じゃなく|ではなく|いや|いえ|ごめん|失礼"),
    (.doubt(.whichTime), "時間"),
    (.doubt(.reported), "って言|と言|だって|たって|って聞|と聞|そうです|そうだ|によると|とのこと|んだって"),
  ]

  /// Where one goes.
  static let japanesePlaces: Set<String> = ["トイレ", "お手洗い", "病院", "クリニック", "医院", "診療所", "歯医者", "ポータブルトイレ"]

  /// Who comes, and is not cared for.
  static let japaneseVisitors: Set<String> = ["先生", "医師", "お医者", "お医者さん", "看護師", "訪問看護師"]

  /// What has an end; medicine and tea that end are used up.
  private static let japaneseEvents: Set<String> = [
    "服薬", "服用", "点眼", "食事", "ご飯", "ごはん", "朝食", "昼食", "夕食", "朝ご飯", "昼ご飯", "晩ご飯", "夕ご飯", "朝ごはん", "昼ごはん", "晩ごはん", "夕ごはん",
    "お昼ご飯", "お昼ごはん", "お昼", "夕飯", "昼飯", "おやつ", "排泄", "トイレ", "お手洗い", "排便", "排尿", "通院", "受診", "病院", "診察", "検査", "往診",
    "訪問看護", "定期検診",
    "健診",
  ]

  /// What one does with 「する」; 「おむつをしました」 may be a new one, and may be an old one.
  private static let japaneseDeeds: Set<String> = Self.japaneseEvents.union([
    "便", "尿", "大便", "小便", "おしっこ", "うんち", "軟便", "普通便", "下痢", "湿布",
  ])

  /// What people also say of lists; it records only a category by its name.
  static let japaneseWeakCommands: Set<String> = ["登録して", "登録してください"]

  /// What takes back the last entry; a whole sentence.
  static let japaneseUndo: Set<String> = [
    "取り消し", "取り消して", "取り消してください", "取消", "取消して", "さっきの記録を消して", "さっきの記録を取り消して", "直前の記録を消して",
    "直前の記録を取り消して", "最後の記録を消して", "最後の記録を取り消して", "元に戻して", "記録を取り消して",
  ]

  /// What takes back the entry that was just read out; a whole sentence.
  static let japaneseWrong: Set<String> = [
    "今の取り消し", "今のを取り消して", "今のは取り消して", "今の記録を取り消して", "さっきのは間違い", "さっきのは間違いです", "今のは間違い", "今のは間違いです", "今の間違い",
    "間違えました", "今のなし", "今のはなし", "今のを消して",
  ]
}
