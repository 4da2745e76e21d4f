/// An Android field: `X-ANDROID-CUSTOM:vnd.android.cursor.item/KIND;VALUE;TYPE;LABEL;...`. The Contacts app exports
/// values in it that have no property in vCard 2.1 and 3.0 (AOSP, `VCardBuilder.appendAndroidSpecificProperty`).
struct AndroidField {
  enum Kind {
    case nickname
    case event
    case relation
  }

  let kind: Kind
  let value: String
  /// The label, in the tokens of other labels; `birthday` is an event too.
  let label: Label
  let lineNumber: Int

  /// Parses a property; nil for another kind of field, and for one without a value.
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

  /// By number in `ContactsContract.CommonDataKinds.Event`; 0 is a custom label.
  private static let events = ["", "anniversary", "other", "birthday"]

  /// By number in `ContactsContract.CommonDataKinds.Relation`.
  private static let relations = [
    "", "assistant", "brother", "child", "partner", "father", "friend", "manager", "mother", "parent", "partner",
    "referred by", "relative", "sister", "spouse",
  ]
}

extension Card {
  /// The Android fields of a kind, in their order.
  func androidFields(_ kind: AndroidField.Kind) -> [AndroidField] {
    properties(named: "X-ANDROID-CUSTOM").compactMap { AndroidField($0) }.filter { $0.kind == kind }
  }
}
