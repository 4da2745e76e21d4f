package import KithMessages

/// A category spoken before the entry: "Medication, two tablets after breakfast."
///
/// A word counts as the category only if it stands by itself at the start. "Medication was refused" and 「薬を飲んだ」 are
/// sentences and stay whole. A category that is only mentioned is a suggestion for a person to confirm.
package struct SpokenCategory: Sendable, Hashable {
  /// The spoken category; nil if the text starts with something else.
  package let category: CareCategory?
  /// The transcript without the category.
  package let text: String

  /// Separates the category from the start of a transcript.
  ///
  /// - Parameter language: A BCP 47 tag. Only English and Japanese have categories.
  package static func head(of transcript: String, language: String) -> SpokenCategory {
    self.phrases(language)?.head(of: transcript) ?? SpokenCategory(category: nil, text: transcript)
  }

  /// The most likely category of a transcript; nil if no keyword occurs.
  package static func suggestion(for transcript: String, language: String) -> CareCategory? {
    self.phrases(language)?.suggestion(for: transcript)
  }

  private static func phrases(_ language: String) -> SpokenPhrases? {
    switch CareLanguage(named: language) {
    case .english: .english
    case .japanese: .japanese
    case nil: nil
    }
  }
}

/// The words of one language that name a category, and those that suggest one.
struct SpokenPhrases: Sendable {
  /// One or two words that name a category at the start of an entry.
  struct Name: Sendable {
    let text: String
    let category: CareCategory
    /// Whether it is also an ordinary word, so that it needs a pause or a comma after it.
    var isOrdinary = false
  }

  /// Longer names come before their prefixes.
  let names: [Name]
  /// Continuations that show that a name is part of its sentence.
  let continuations: [String]
  /// Whether spaces separate words.
  let hasSpaces: Bool
  /// Keywords by category. If two categories have equally many in a text, the earlier one is suggested.
  let keywords: [(category: CareCategory, words: [String])]

  func head(of transcript: String) -> SpokenCategory {
    let none = SpokenCategory(category: nil, text: transcript)
    let text = transcript.drop { !$0.isLetter && !$0.isNumber }
    for name in self.names {
      guard let rest = Self.dropping(name.text, from: text) else { continue }
      let body = rest.drop { !$0.isLetter && !$0.isNumber && !"([「『".contains($0) }
      let isApart = rest.isEmpty || body.startIndex != rest.startIndex
      if self.hasSpaces {
        // A comma or a full stop is a pause; a space alone separates any two words.
        let hasPause = rest.first.map { !$0.isWhitespace } ?? true
        guard isApart, hasPause || !self.goesOn(body) else { continue }
      } else {
        guard isApart || !name.isOrdinary && !self.goesOn(body) else { continue }
      }
      return SpokenCategory(category: name.category, text: String(body))
    }
    return none
  }

  func suggestion(for transcript: String) -> CareCategory? {
    let text = transcript.lowercased()
    let words = Set(text.split { !$0.isLetter && $0 != "'" }.map(String.init))
    var best: (category: CareCategory, count: Int)?
    for (category, keywords) in self.keywords {
      let count = keywords.count { self.hasSpaces ? words.contains($0) : text.contains($0) }
      if count > best?.count ?? 0 { best = (category, count) }
    }
    return best?.category
  }

  private func goesOn(_ body: Substring) -> Bool {
    if self.hasSpaces {
      let word = body.prefix { $0.isLetter }.lowercased()
      return self.continuations.contains(word)
    }
    return self.continuations.contains { body.hasPrefix($0) }
  }

  /// The text after `name`, ignoring case and spaces within it; nil if the text starts differently.
  private static func dropping(_ name: String, from text: Substring) -> Substring? {
    var rest = text
    for character in name {
      if character == " " {
        let next = rest.drop { $0.isWhitespace }
        guard next.startIndex != rest.startIndex else { return nil }
        rest = next
      } else {
        guard let first = rest.first, first.lowercased() == character.lowercased() else { return nil }
        rest.removeFirst()
      }
    }
    return rest
  }
}

extension SpokenPhrases {
  /// English.
  static let english = SpokenPhrases(
    names: [
      Name(text: "medical visit", category: .medicalVisit),
      Name(text: "medications", category: .medication),
      Name(text: "medication", category: .medication),
      Name(text: "meal", category: .meal),
      Name(text: "toileting", category: .toileting),
      Name(text: "toilet", category: .toileting),
      Name(text: "free memo", category: .freeMemo),
      Name(text: "memo", category: .freeMemo),
    ],
    continuations: [
      "was", "is", "were", "are", "has", "had", "did", "does", "will", "should", "can", "and", "or", "of", "went",
      "made",
    ],
    hasSpaces: true,
    keywords: [
      (
        .medicalVisit,
        [
          "doctor", "doctor's", "hospital", "clinic", "appointment", "dentist", "nurse", "therapist", "checkup",
          "vaccination",
          "ambulance", "surgery", "specialist", "x-ray", "examination", "prescription", "pharmacist", "visited",
        ]
      ),
      (
        .medication,
        [
          "medication", "medications", "medicine", "medicines", "tablet", "tablets", "pill", "pills", "capsule",
          "capsules",
          "dose", "aspirin", "insulin", "antibiotic", "antibiotics", "ointment", "drops", "syrup", "laxative",
          "vitamin",
          "vitamins", "injection", "painkiller", "painkillers", "milligrams", "inhaler",
        ]
      ),
      (
        .toileting,
        [
          "toilet", "bathroom", "diaper", "diapers", "pad", "bowel", "movement", "stool", "urine", "diarrhea",
          "constipation",
          "constipated", "catheter", "commode", "urinated", "incontinent",
        ]
      ),
      (
        .meal,
        [
          "ate", "eat", "eating", "meal", "breakfast", "lunch", "dinner", "supper", "snack", "soup", "rice", "bread",
          "fish",
          "vegetables", "fruit", "noodles", "porridge", "drank", "appetite", "hungry", "dessert", "meat", "swallowing",
        ]
      ),
    ])

  /// Japanese. Names that are also ordinary words need a pause: 「薬を飲んだ」 and 「ごはん半分」 are sentences.
  static let japanese = SpokenPhrases(
    names: [
      Name(text: "服薬", category: .medication),
      Name(text: "お薬", category: .medication, isOrdinary: true),
      Name(text: "薬", category: .medication, isOrdinary: true),
      Name(text: "くすり", category: .medication, isOrdinary: true),
      Name(text: "食事", category: .meal),
      Name(text: "ごはん", category: .meal, isOrdinary: true),
      Name(text: "ご飯", category: .meal, isOrdinary: true),
      Name(text: "排泄", category: .toileting),
      Name(text: "トイレ", category: .toileting, isOrdinary: true),
      Name(text: "通院", category: .medicalVisit),
      Name(text: "受診", category: .medicalVisit, isOrdinary: true),
      Name(text: "病院", category: .medicalVisit, isOrdinary: true),
      Name(text: "自由メモ", category: .freeMemo),
      Name(text: "メモ", category: .freeMemo),
    ],
    // Particles, forms of する and です, and continuations that make another word: 食事前, 通院日, メモ帳.
    continuations: [
      "を", "が", "は", "の", "に", "で", "と", "も", "へ", "や", "から", "まで", "より", "し", "す", "さ", "せ", "だ", "な", "後",
      "前", "中", "時", "量", "介", "先", "日", "帳", "回", "用", "内", "状", "制", "療", "指", "支", "管", "記",
    ],
    hasSpaces: false,
    keywords: [
      (
        .medicalVisit,
        [
          "受診", "通院", "病院", "医師", "先生", "診察", "内科", "外科", "眼科", "歯科", "歯医者", "検査", "看護師", "訪問看護", "予約",
          "往診", "入院", "退院", "注射", "次回",
        ]
      ),
      (
        .medication,
        ["薬", "錠", "服用", "湿布", "インスリン", "軟膏", "点眼", "目薬", "カプセル", "くすり", "塗り", "貼り", "ミリグラム", "飲み忘れ"]
      ),
      (
        .toileting,
        ["トイレ", "排泄", "排便", "排尿", "便", "尿", "おむつ", "オムツ", "パッド", "下痢", "便秘", "失禁", "浣腸", "おしっこ"]
      ),
      (
        .meal,
        [
          "食べ", "食事", "朝食", "昼食", "夕食", "ごはん", "ご飯", "おかゆ", "お粥", "うどん", "みそ汁", "味噌汁", "おかず", "お茶",
          "水分", "パン", "完食", "食欲", "おやつ", "割", "むせ",
        ]
      ),
    ])
}
