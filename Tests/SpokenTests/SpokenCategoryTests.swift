import KithMessages
import Testing

@testable import Spoken

struct SpokenCategoryTests {
  @Test(
    "a category at the head is taken off",
    arguments: [
      ("en", "medication gave one pill with water", "medication", "gave one pill with water"),
      ("en-US", "Medication. Gave one pill.", "medication", "Gave one pill."),
      ("en", "medications, two in the evening", "medication", "two in the evening"),
      ("en", "MEAL half of the noodles", "meal", "half of the noodles"),
      ("en", "toilet dry pad at noon", "toileting", "dry pad at noon"),
      ("en-GB", "toileting: normal", "toileting", "normal"),
      ("en", "medical visit the nurse took blood", "medical_visit", "the nurse took blood"),
      ("en", "medical  visit - new glasses", "medical_visit", "new glasses"),
      ("en", "free memo call my sister", "free_memo", "call my sister"),
      ("en", "memo", "free_memo", ""),
      ("en", "Medication, was refused", "medication", "was refused"),
      ("ja", "服薬、夕食後の薬を一錠", "medication", "夕食後の薬を一錠"),
      ("ja-JP", "服薬 昼の薬", "medication", "昼の薬"),
      ("ja", "服薬夕食後に二錠", "medication", "夕食後に二錠"),
      ("ja", "薬。目薬を両目に", "medication", "目薬を両目に"),
      ("ja", "食事　お粥を全部", "meal", "お粥を全部"),
      ("ja", "ごはん、半分残した", "meal", "半分残した"),
      ("ja", "トイレ、軟便", "toileting", "軟便"),
      ("ja", "排泄 おむつ交換", "toileting", "おむつ交換"),
      ("ja", "通院。眼科で検査", "medical_visit", "眼科で検査"),
      ("ja", "受診 血圧は正常", "medical_visit", "血圧は正常"),
      ("ja", "メモ「牛乳を買う」", "free_memo", "「牛乳を買う」"),
      ("ja", "自由メモ 夜よく眠れた", "free_memo", "夜よく眠れた"),
    ])
  func head(language: String, transcript: String, category: String, text: String) {
    let head = SpokenCategory.head(of: transcript, language: language)
    #expect(head.category?.rawValue == category)
    #expect(head.text == text)
  }

  @Test(
    "a sentence that only begins with such a word stays whole",
    arguments: [
      ("en", "medication was refused twice"), ("en", "meals on wheels came late"), ("en", "memorable day"),
      ("en", "medical visitors came"), ("en", "toilet and bath in the morning"), ("en", "she ate her meal"), ("en", ""),
      ("ja", "薬を飲んだ"), ("ja", "薬局へ行った"), ("ja", "ごはん半分"), ("ja", "トイレまで歩いた"), ("ja", "食事前に手を洗った"),
      ("ja", "食事の後に散歩"), ("ja", "病院に電話した"), ("ja", "受診した"), ("ja", "メモ帳を買う"), ("ja", "排泄なし"),
      ("ja", "夕食後に服薬"), ("de", "medication gave one pill"), ("nonsense", "medication gave one pill"),
    ])
  func whole(language: String, transcript: String) {
    let head = SpokenCategory.head(of: transcript, language: language)
    #expect(head.category == nil)
    #expect(head.text == transcript)
  }

  @Test(
    "the words of a text suggest a category, or none",
    arguments: [
      ("en", "she swallowed two capsules with lunch and one tablet before bed", CareCategory.medication),
      ("en", "the dentist moved her appointment", .medicalVisit),
      ("en", "dark stool and little urine", .toileting),
      ("en", "he drank some broth and had no appetite", .meal),
      ("en", "we sat in the sun and sang", nil),
      ("ja", "夕食後に血圧の薬を一錠", .medication),
      ("ja", "内科で検査、次回は来月", .medicalVisit),
      ("ja", "おむつを交換、軟便", .toileting),
      ("ja", "お粥とみそ汁を完食", .meal),
      ("ja", "庭で歌を歌った", nil),
      ("fr", "deux tablet pill", nil),
    ])
  func suggestion(language: String, transcript: String, category: CareCategory?) {
    #expect(SpokenCategory.suggestion(for: transcript, language: language) == category)
  }

  @Test("any text goes through unharmed: head and rest make up the whole", arguments: 0..<8)
  func anyText(seed: UInt64) {
    var random = SeededText(seed: seed)
    for _ in 0..<200 {
      let text = random.next()
      for language in ["en", "ja"] {
        let head = SpokenCategory.head(of: text, language: language)
        #expect(text.hasSuffix(head.text))
        #expect(head.category != nil || head.text == text)
      }
    }
  }
}
