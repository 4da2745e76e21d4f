internal import Bus
internal import KithMessages
internal import SwiftProtobuf

/// The forms that record care: typed and spoken.
struct CareForms: Sendable {
  let view: PageView

  /// The form for a typed entry.
  func typed(next: String) -> HTML {
    Form(Methods.careRecord, next: next, self.view).creating().noting(now: "occurredAt").html(
      """
      <fieldset class="categories"><legend>\(self.view[.category])</legend>\(self.categories(chosen: nil))</fieldset>
      <label for="memo">\(self.view[.memo])</label>
      <textarea id="memo" name="memo" data-test="memo" maxlength="5000" rows="3"></textarea>
      <details><summary>\(self.view[.earlier])</summary><label for="occurred">\(self.view[.when])</label>
      <input id="occurred" type="datetime-local" name="occurredAt:time" max="\(self.view.localValue(of: .init(nanosecondsSince1970: self.view.now)))">
      </details>
      <button class="primary" data-test="save">\(self.view[.save])</button>
      """)
  }

  /// A button for each category.
  func categories(chosen: CareCategory?) -> HTML {
    HTML(
      CareCategory.allCases.map { category in
        let checked: HTML = category == chosen ? " checked" : ""
        return """
          <label class="choice" data-test="category-\(category.rawValue)"><input type="radio" name="category" \
          value="\(category.rawValue)" required\(checked)><span><span aria-hidden="true">\(category.sign)</span> \
          \(self.view[category.name])</span></label>
          """
      })
  }
}

extension Text {
  fileprivate static let earlier = Text("At another time", "別の時刻")
}
