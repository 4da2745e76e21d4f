internal import KithMessages

/// The names of fields and of the words that they take, for people.
enum FieldWords {
  /// The label of a field of a kind of records; nil if it has none, as forms do not show it.
  static func label(_ field: String, of kind: RecordKind) -> Text? { Self.ownLabel(field, kind) ?? Self.labels[field] }

  /// Labels that only one kind has under the name of a field.
  private static func ownLabel(_ field: String, _ kind: RecordKind) -> Text? {
    switch (kind, field) {
    case (.contactField, "type"): Text("Kind", "種類")
    case (.address, "name"): Text("Name of the place", "場所の名前")
    case (.gift, "name"): Text("What", "品物")
    case (.gift, "date"): Text("Day", "日付")
    case (.task, "title"): Text("What is to do", "内容")
    case (.reminder, "title"): Text("What to remember", "内容")
    case (.relationship, "type"): Text("The other person is", "相手は")
    case (.activity, "type"): Text("Kind", "種類")
    default: nil
    }
  }

  private static let labels: [String: Text] = [
    "first_name": Text("First name", "名"), "middle_name": Text("Middle name", "ミドルネーム"),
    "last_name": Text("Last name", "姓"),
    "nickname": Text("Nickname", "ニックネーム"), "gender": Text("Gender", "性別"), "description": Text("Details", "詳細"),
    "birthday": Text("Birthday", "誕生日"), "birthday_reminder": Text("Remind of the birthday", "誕生日を知らせる"),
    "is_dead": Text("Has died", "故人"), "deceased_on": Text("Day of death", "亡くなった日"), "job": Text("Job", "仕事"),
    "company": Text("Company", "会社"), "food_preferences": Text("Food they like or avoid", "食べ物の好み"),
    "how_met": Text("How you met", "出会い"), "data": Text("Number or address", "番号・アドレス"),
    "labels": Text("Labels, one a line", "ラベル（1行に1つ）"), "street": Text("Street", "番地"), "city": Text("City", "市区町村"),
    "province": Text("Prefecture or state", "都道府県"), "postal_code": Text("Postal code", "郵便番号"),
    "country": Text("Country, as two letters", "国（2文字、例：JP）"), "latitude": Text("Degrees north", "緯度"),
    "longitude": Text("Degrees east", "経度"), "body": Text("Note", "メモ"), "is_favorite": Text("Favourite", "お気に入り"),
    "is_completed": Text("Done", "完了"), "summary": Text("What", "内容"), "happened_on": Text("Day", "日付"),
    "participants": Text("Who took part", "参加した人"), "status": Text("State", "状態"), "comment": Text("Comment", "コメント"),
    "url": Text("Web address", "ウェブアドレス"), "amount": Text("Value", "金額"), "name": Text("Name", "名前"),
    "other_id": Text("Other person", "相手"), "initial_date": Text("First day", "最初の日"),
    "frequency": Text("How often", "頻度"),
    "every": Text("Interval", "間隔"), "channel": Text("How", "手段"), "happened_at": .when,
    "messages": Text("What was said or written", "話した内容"),
    "called_at": .when, "duration_minutes": .minutes, "emotion": .feeling, "they_called": .theyCalled, "note": .note,
    "tags": .tags,
  ]

  /// The name of one of the words that a field takes.
  static func choice(_ word: String) -> Text {
    if let status = GiftStatus(rawValue: word) { return status.name }
    if let frequency = ReminderFrequency(rawValue: word) { return frequency.name }
    return Text(word, word)
  }

  /// The name of a gender, a type or a channel, in both languages. Names of a household are as it wrote them.
  static func name(_ name: String) -> Text {
    if name == "in person" { return Text("In person", "対面") }
    if name == "text" { return Text("Text message", "メッセージ") }
    for kind in CatalogKind.allCases {
      guard let common = CommonName.find(kind, name) else { continue }
      return Text(common.english.prefix(1).uppercased() + common.english.dropFirst(), common.japanese)
    }
    return Text(name, name)
  }
}

extension PageView {
  /// A label of a number, an address or a day in the language of the page.
  subscript(label label: String) -> String { self[Text(label, AddressBookLabel.japanese(label))] }

  /// A name of a catalog in the language of the page.
  subscript(name name: String) -> String { self[FieldWords.name(name)] }

  /// What another person is to a person. The other side of a relation may have no name.
  subscript(relation type: String) -> String { type.isEmpty ? self[Text("Related", "関係者")] : self[name: type] }

  /// How often a reminder comes.
  subscript(again frequency: ReminderFrequency, every: Int) -> String {
    let text: Text =
      switch frequency {
      case .oneTime: Text("", "")
      case .week: every > 1 ? Text("every {count} weeks", "{count}週間ごと") : Text("every week", "毎週")
      case .month: every > 1 ? Text("every {count} months", "{count}か月ごと") : Text("every month", "毎月")
      case .year: every > 1 ? Text("every {count} years", "{count}年ごと") : Text("every year", "毎年")
      }
    return self[text, ["count": "\(every)"]]
  }
}

extension GiftStatus {
  /// Its name.
  var name: Text { Text(self.english, self.japanese) }
}

extension ReminderFrequency {
  /// Its name.
  fileprivate var name: Text {
    switch self {
    case .oneTime: Text("Once", "1回")
    case .week: Text("Weeks", "週")
    case .month: Text("Months", "月")
    case .year: Text("Years", "年")
    }
  }
}
