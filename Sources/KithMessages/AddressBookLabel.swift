/// The labels of numbers, addresses, days and people that every address book has.
///
/// ```swift
/// AddressBookLabel.japanese("work")  // 勤務先
/// ```
public enum AddressBookLabel {
  /// A label in Japanese; one of the household's own as it is.
  public static func japanese(_ label: String) -> String {
    Self.japanese[label.lowercased()] ?? CommonName.find(.relationshipType, label)?.japanese ?? label
  }

  private static let japanese = [
    "home": "自宅", "work": "勤務先", "school": "学校", "other": "その他", "main": "代表", "mobile": "携帯", "cell": "携帯",
    "car": "車", "pager": "ポケベル", "fax": "FAX", "homefax": "自宅の FAX", "workfax": "勤務先の FAX",
    "otherfax": "ほかの FAX", "homepage": "ホームページ", "anniversary": "記念日", "birthday": "誕生日", "father": "父", "mother": "母",
    "brother": "兄弟", "sister": "姉妹", "assistant": "アシスタント", "assistantphone": "アシスタント", "manager": "上司",
    "acquaintance": "知人", "co-worker": "同僚", "co-resident": "同居人", "neighbor": "近所の人", "kin": "親族",
    "emergency": "緊急連絡先", "contact": "連絡先", "agent": "代理人", "me": "自分",
  ]
}
