internal import Bus
internal import KithMessages

/// The messages of a conversation, each with the forms that correct and delete it, and the form that adds one.
struct ConversationMessages: Sendable {
  let view: PageView
  let conversation: Conversation

  private var path: String { RecordList.path(Conversation.self, self.conversation.personID, self.conversation.id) }
  private var limit: HTML { " required maxlength=\"\(String(ConversationMessage.longest))\"" }

  /// The messages.
  func html() -> HTML {
    let messages = HTML(self.conversation.messages.map(self.message))
    let cut: HTML = self.conversation.truncated ? "<p>\(self.view[.olderLeftOut])</p>" : ""
    let canWrite = self.view.canRecord && !self.conversation.hasDeletedAt
    return """
      <section class="card"><h2>\(self.view[.messages])</h2>\(cut)<ul class="records">\(messages)</ul>\(canWrite ? self.adding() : "")</section>
      """
  }

  private func message(_ message: ConversationMessage) -> HTML {
    let writer = message.writtenByMe ? self.view[.byMe] : self.conversation.personName
    let time: HTML = message.hasWrittenAt ? self.view.dayAndTime(of: message.writtenAt) : ""
    return """
      <li data-test="message"><strong>\(writer)</strong> \(time) <span class="words">\(message.content)</span>\
      \(self.view.canRecord && !self.conversation.hasDeletedAt ? self.changing(message) : "")</li>
      """
  }

  private func changing(_ message: ConversationMessage) -> HTML {
    let change = Form(Methods.conversationsUpdateMessage, next: self.path, self.view)
      .with("conversationId", self.conversation.id).with("message.id", message.id)
      .guarded(by: "ifContent", message.knownContent).with("ifWrittenByMe:bool", message.writtenByMe ? "true" : "false")
    let delete = Form(Methods.conversationsDeleteMessage, next: self.path, self.view)
      .with("conversationId", self.conversation.id).with("messageId", message.id)
    return """
      <details><summary>\(self.view[.edit])</summary>\(change.html("\(self.fields(message))<button>\(self.view[.save])</button>"))\
      \(delete.button(self.view[.delete]))</details>
      """
  }

  private func adding() -> HTML {
    let form = Form(Methods.conversationsAddMessage, next: self.path, self.view).creating()
      .with("conversationId", self.conversation.id)
    return """
      <details><summary>\(self.view[.addMessage])</summary>\
      \(form.html("\(self.fields(ConversationMessage()))<button>\(self.view[.save])</button>"))</details>
      """
  }

  private func fields(_ message: ConversationMessage) -> HTML {
    """
    \(self.view.area(.said, "message.content", message.content, self.limit))\
    \(self.view.check(.fromMe, "message.writtenByMe:bool", message.writtenByMe))
    """
  }
}

extension Text {
  fileprivate static let messages = Text("Messages", "内容")
  fileprivate static let olderLeftOut = Text("Older messages are left out.", "古いメッセージは省略しています。")
  fileprivate static let byMe = Text("Family", "家族")
  fileprivate static let addMessage = Text("Add a message", "内容を追加")
  fileprivate static let said = Text("What was said or written", "話した内容")
  fileprivate static let fromMe = Text("It is from the family", "家族から")
}
