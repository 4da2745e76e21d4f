internal import Bus
public import KithMessages
internal import SwiftProtobuf

/// A form that sends a command to the hub: without script by the browser, with script through the queue of what waits.
///
/// ```swift
/// Form(Methods.careRecord, next: "/", view).html("<textarea name=\"memo\"></textarea><button>…</button>")
/// ```
public struct Form: Sendable {
  private let method: Method
  private let view: PageView
  private let next: String
  private var hidden: [(name: String, value: String)] = []
  private var attributes: HTML = ""
  private var isDirect = false
  private var fallback: HTML = ""

  /// Makes a form.
  ///
  /// - Parameter next: The path of the page that is shown afterwards.
  public init(_ method: Method, next: String, _ view: PageView) {
    self.method = method
    self.view = view
    self.next = next
  }

  /// With a value that nobody sees.
  public func with(_ name: String, _ value: String) -> Form {
    var form = self
    form.hidden.append((name, value))
    return form
  }

  /// For a record that it creates: with an id of the client, so that the record is made once even if the form is sent again after days.
  /// Scripts choose another id for each time that it is sent.
  public func creating() -> Form {
    var form = self.with("clientId", self.view.forms.makeID())
    form.attributes = "\(form.attributes) data-creates"
    return form
  }

  /// For a change of what the page shows, which is refused if that is no longer as the page shows it.
  ///
  /// A browser that goes back fills in what was typed, but not the version to which it was typed. So it fills in nothing here.
  public func guarded(by name: String, _ value: String) -> Form {
    var form = self.with(name, value)
    if !form.attributes.text.contains("autocomplete") {
      form.attributes = "\(form.attributes) autocomplete=\"off\""
    }
    return form
  }

  /// With a field that gets the time at which the form is sent, if it is empty then.
  public func noting(now field: String) -> Form {
    var form = self
    form.attributes = "\(form.attributes) data-now=\"\(field)\""
    return form
  }

  /// That never waits on the device: it is sent now or not at all. For secrets, for what must not happen days later, and for answers that
  /// are shown.
  public func direct() -> Form {
    var form = self
    form.isDirect = true
    return form
  }

  /// That is sent with at least one picture, which only scripts can add.
  func needingPhoto() -> Form {
    var form = self
    form.attributes = "\(form.attributes) data-needs-photo"
    return form
  }

  /// As ``noting(now:)``, for a field that the hub requires: without script it gets the time of the page if it is empty.
  public func noting(needed field: String) -> Form {
    var form = self.noting(now: field)
    let now = Google_Protobuf_Timestamp(nanosecondsSince1970: self.view.now).rfc3339
    form.fallback = "<input type=\"hidden\" name=\"\(field)\" value=\"\(now)\">"
    return form
  }

  /// The form around its fields.
  public func html(_ fields: HTML) -> HTML {
    let values = HTML(
      ([("form", self.view.forms.code), ("key", self.view.forms.makeID()), ("next", self.next)] + self.hidden).map {
        "<input type=\"hidden\" name=\"\($0.0)\" value=\"\($0.1)\">"
      })
    let style: HTML = self.isDirect ? "direct" : "command"
    return """
      <form class="\(style)" method="post" action="/forms/\(self.method.name)"\(self.attributes)>\(values)\(fields)\(self.fallback)</form>
      """
  }

  /// A form that is one button.
  public func button(_ label: String, test: String = "", style: String = "") -> HTML {
    let test: HTML = test.isEmpty ? "" : " data-test=\"\(test)\""
    let style: HTML = style.isEmpty ? "" : " class=\"\(style)\""
    return self.html("<button\(style)\(test)>\(label)</button>")
  }
}
