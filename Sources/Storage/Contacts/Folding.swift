/// Folds text for search and sorting: lower case, no accents, half-width Latin, hiragana for katakana.
enum Folding {
  /// Folds text.
  ///
  /// Voiced kana stay voiced: が is another letter than か, while é is e with an accent.
  static func fold(_ text: String) -> [Unicode.Scalar] {
    var folded: [Unicode.Scalar] = []
    folded.reserveCapacity(text.utf8.count)
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x41...0x5A: folded.append(ascii(scalar.value + 0x20))
      case 0..<0x80: folded.append(scalar)
      default: self.append(scalar, to: &folded)
      }
    }
    return folded
  }

  private static func append(_ scalar: Unicode.Scalar, to folded: inout [Unicode.Scalar]) {
    switch scalar.value {
    case 0x300...0x36F, 0xFE00...0xFE0F, 0x200B...0x200F, 0x2060, 0xFEFF, 0xAD:
      // Combining accents, variation selectors and invisible marks.
      break
    case 0x3000:
      folded.append(" ")
    case 0x3099, 0xFF9E:
      self.voice(&folded, Self.voiced)
    case 0x309A, 0xFF9F:
      self.voice(&folded, Self.halfVoiced)
    case 0x30A1...0x30F6:
      folded.append(Unicode.Scalar(scalar.value - 0x60) ?? scalar)
    case 0x3040...0x312F, 0x3400...0x9FFF, 0xAC00...0xD7A3:
      folded.append(scalar)
    case 0xFF01...0xFF5E:
      let half = ascii(scalar.value - 0xFEE0)
      folded.append(half.value >= 0x41 && half.value <= 0x5A ? ascii(half.value + 0x20) : half)
    case 0xFF61...0xFF9D:
      folded.append(Self.halfWidthKana[Int(scalar.value - 0xFF61)])
    default:
      for lower in scalar.properties.lowercaseMapping.unicodeScalars where !(0x300...0x36F).contains(lower.value) {
        folded.append(contentsOf: Self.bases[lower] ?? [lower])
      }
    }
  }

  /// The scalar of a code point below 0x80.
  private static func ascii(_ value: UInt32) -> Unicode.Scalar { Unicode.Scalar(UInt8(truncatingIfNeeded: value)) }

  private static func voice(_ folded: inout [Unicode.Scalar], _ marks: [Unicode.Scalar: Unicode.Scalar]) {
    guard let last = folded.last, let marked = marks[last] else { return }
    folded[folded.count - 1] = marked
  }

  /// U+FF61 to U+FF9D (Unicode chart FF00), katakana folded to hiragana.
  private static let halfWidthKana = Array(
    "。「」、・をぁぃぅぇぉゃゅょっーあいうえおかきくけこさしすせそたちつてとなにぬねのはひふへほまみむめもやゆよらりるれろわん".unicodeScalars)

  private static let voiced = Self.pairs(
    "うかきくけこさしすせそたちつてとはひふへほ", "ゔがぎぐげござじずぜぞだぢづでどばびぶべぼ")

  private static let halfVoiced = Self.pairs("はひふへほ", "ぱぴぷぺぽ")

  private static func pairs(_ from: String, _ to: String) -> [Unicode.Scalar: Unicode.Scalar] {
    Dictionary(zip(from.unicodeScalars, to.unicodeScalars), uniquingKeysWith: { first, _ in first })
  }

  /// What each accented lower-case letter folds to.
  private static let bases: [Unicode.Scalar: [Unicode.Scalar]] = {
    var bases: [Unicode.Scalar: [Unicode.Scalar]] = [:]
    for (base, letters) in Self.accented {
      for letter in letters.unicodeScalars { bases[letter] = Array(base.unicodeScalars) }
    }
    return bases
  }()

  private static let accented: [(String, String)] = [
    ("a", "àáâãäåāăąǎǟǡǻȁȃȧḁạảấầẩẫậắằẳẵặª"), ("ae", "æǣǽ"), ("b", "ḃḅḇ"), ("c", "çćĉċčḉ"), ("d", "ďđðḋḍḏḑḓ"),
    ("e", "èéêëēĕėęěȅȇȩḕḗḙḛḝẹẻẽếềểễệ"), ("f", "ḟ"), ("g", "ĝğġģǧǵḡ"), ("h", "ĥħȟḣḥḧḩḫẖ"),
    ("i", "ìíîïĩīĭįıǐȉȋḭḯỉị"), ("ij", "ĳ"), ("j", "ĵǰ"), ("k", "ķǩḱḳḵ"), ("l", "ĺļľłŀḷḹḻḽ"), ("m", "ḿṁṃ"),
    ("n", "ñńņňŋǹṅṇṉṋ"), ("o", "òóôõöøōŏőơǒǫǭǿȍȏȫȭȯȱṍṏṑṓọỏốồổỗộớờởỡợº"), ("oe", "œ"), ("p", "ṕṗ"),
    ("r", "ŕŗřȑȓṙṛṝṟ"), ("s", "śŝşšſșṡṣṥṧṩẛ"), ("ss", "ß"), ("t", "ţťŧțṫṭṯṱẗ"), ("th", "þ"),
    ("u", "ùúûüũūŭůűųưǔǖǘǚǜȕȗṳṵṷṹṻụủứừửữự"), ("v", "ṽṿ"), ("w", "ŵẁẃẅẇẉẘ"), ("x", "ẋẍ"), ("y", "ýÿŷȳẏẙỳỵỷỹ"),
    ("z", "źżžẑẓẕ"),
    ("α", "άἀἁἂἃἄἅἆἇὰάᾀᾁᾂᾃᾄᾅᾆᾇᾰᾱᾲᾳᾴᾶᾷ"), ("ε", "έἐἑἒἓἔἕὲέ"), ("η", "ήἠἡἢἣἤἥἦἧὴήᾐᾑᾒᾓᾔᾕᾖᾗῂῃῄῆῇ"),
    ("ι", "ΐίϊἰἱἲἳἴἵἶἷὶίῐῑῒΐῖῗ"), ("ο", "όὀὁὂὃὄὅὸό"), ("ρ", "ῤῥ"), ("σ", "ς"), ("υ", "ΰϋύὐὑὒὓὔὕὖὗὺύῠῡῢΰῦῧ"),
    ("ω", "ώὠὡὢὣὤὥὦὧὼώᾠᾡᾢᾣᾤᾥᾦᾧῲῳῴῶῷ"),
    ("а", "ӑӓ"), ("г", "ѓ"), ("е", "ѐёӗ"), ("ж", "ӂӝ"), ("з", "ӟ"), ("и", "йѝӣӥ"), ("к", "ќ"), ("о", "ӧ"),
    ("у", "ўӯӱӳ"),
    ("ч", "ӵ"), ("ы", "ӹ"), ("э", "ӭ"), ("і", "ї"), ("ә", "ӛ"), ("ө", "ӫ"),
  ]
}

extension String {
  /// The text's first `limit` bytes, without a cut character.
  func beginning(_ limit: Int) -> String {
    guard self.utf8.count > limit else { return self }
    var end = self.utf8.index(self.startIndex, offsetBy: limit)
    while end.samePosition(in: self.unicodeScalars) == nil { end = self.utf8.index(before: end) }
    return String(self[..<end])
  }
}
