/// A field of Android's own in a card: `X-ANDROID-CUSTOM:vnd.android.cursor.item/KIND;VALUE;TYPE;LABEL;...`, as the Contacts app
/// exports what vCard 2.1 and 3.0 have no property for (AOSP, `VCardBuilder.appendAndroidSpecificProperty`).
struct AndroidField {
  enum Kind {
    case nickname
    case event
    case relation
  }

  let kind: Kind
  let value: String
  /// What it is, in the words of other labels; `birthday` is an event too.
  let label: Label
  let lineNumber: Int

  /// Reads a property; nil for another kind of field, and for one without a value.
  fileprivate init?(_ property: Property) {
    let fields = property.fields
    func field(_ index: Int) -> String { index < fields.count ? fields[index] : "" }
    switch field(0) {
    case "vnd.android.cursor.item/nickname": kind = .nickname
    case "vnd.android.cursor.item/contact_event": kind = .event
    case "vnd.android.cursor.item/relation": kind = .relation
    default: return nil
    }
    value = field(1)
    guard !value.isEmpty else { return nil }
    let tokens = kind == .event ? Self.events : kind == .relation ? Self.relations : []
    let type = Int(field(2)) ?? -1
    if tokens.indices.contains(type), type > 0 {
      label = Label(canonical: tokens[type], authority: .typeWords)
    } else if !field(3).isEmpty {
      label = Label(raw: field(3), canonical: field(3), authority: .customType)
    } else {
      label = Label()
    }
    lineNumber = property.lineNumber
  }

  /// By the numbers of `ContactsContract.CommonDataKinds.Event`; 0 is a label of the person's own.
  private static let events = ["", "anniversary", "other", "birthday"]

  /// By the numbers of `ContactsContract.CommonDataKinds.Relation`.
  private static let relations = [
    "", "assistant", "brother", "child", "partner", "father", "friend", "manager", "mother", "parent", "partner",
    "referred by", "relative", "sister", "spouse",
  ]
}

extension Card {
  /// The fields of Android's own of a kind, in their order.
  func androidFields(_ kind: AndroidField.Kind) -> [AndroidField] {
    properties(named: "X-ANDROID-CUSTOM").compactMap { AndroidField($0) }.filter { $0.kind == kind }
  }
}
