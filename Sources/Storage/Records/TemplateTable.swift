public import Bus
internal import GRDB
public import KithMessages
internal import SwiftProtobuf

/// The templates of calls of the account in use.
public struct TemplateTable<View: DatabaseView> {
  let view: View

  /// All of them, in the order of their names.
  public func list() throws(Failure) -> [CallTemplate] { try self.read("ORDER BY sort_key, name", []) }

  /// The template of a name; nil when there is none. Where several differ in case or accents only, the one that is written so.
  public func find(_ name: String) throws(Failure) -> CallTemplate? {
    try self.read(
      "AND sort_key = ?1 ORDER BY name <> ?2, name LIMIT 1", [.text(RecordTraits.key(name)), .text(of: name)]
    ).first
  }

  private func read(_ condition: String, _ values: [EngineValue]) throws(Failure) -> [CallTemplate] {
    try self.messages.all("WHERE account = (SELECT id FROM monica_account WHERE is_current) " + condition, values)
  }

  private var messages: MessageTable<CallTemplate, View> { MessageTable(view: self.view, name: "call_template") }
}

extension TemplateTable where View == Transaction {
  /// Keeps a template, in the place of one whose name is the same.
  public func save(_ template: CallTemplate) throws(Failure) {
    try self.messages.put(
      template,
      key: [
        "account": .integer(try self.view.records.account), "sort_key": .text(RecordTraits.key(template.name)),
        "name": .text(of: template.name),
      ])
  }

  /// Deletes a template.
  ///
  /// - Returns: The template that it was.
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN`.
  public func delete(_ name: String) throws(Failure) -> CallTemplate {
    guard let template = try self.find(name) else {
      throw .unknownRecord(
        name, "There is no template '\(name.prefix(64))'. `kith call template list` lists them.")
    }
    let account = try self.view.records.account
    try self.view.attempt { database in
      try database.run(
        "DELETE FROM call_template WHERE account = ? AND sort_key = ? AND name = ?", .integer(account),
        .text(RecordTraits.key(template.name)), .text(of: template.name))
    }
    return template
  }
}
