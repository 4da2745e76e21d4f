import SwiftProtobuf
import SwiftProtobufPluginLibrary

/// Emits the reference page of all services: rules, request and reply fields, and who may call what.
struct ServiceReference {
  let methods: [MethodModel]
  let messages: [MessageModel]
  let files: [FileDescriptor]

  var text: String {
    var out = [
      "# Services",
      "",
      "Generated from `proto/` by `scripts/protos.sh`. Field names are those of the proto files; in JSON they are",
      "lowerCamelCase (snake_case is accepted). Frames, headers and error codes are in [protocol.md](protocol.md).",
      "",
      "The rules of a field are in brackets: what the hub accepts from a client, where the field is stored, and how changes on",
      "both sides are merged. `proto/kith/v1/options.proto` explains each rule. [api/openapi.json](api/openapi.json) has the",
      "same as OpenAPI 3.1 with JSON Schemas.",
      "",
    ]
    out += self.contents.map { "* [\($0)](#\($0.lowercased().split(separator: " ").joined(separator: "-")))" }
    var service = ""
    for method in self.methods {
      if method.service != service {
        service = method.service
        out += ["", "## \(service)"]
        let prose = self.files.flatMap(\.services).first { $0.name == service }?.comment ?? ""
        if !prose.isEmpty { out += ["", prose] }
      }
      out += ["", "### \(method.wireName)", "", method.summary, "", self.rules(of: method), ""]
      out += self.fields("Request", method.request)
      out += self.fields("Reply", method.reply)
      if !method.rules.batch.isEmpty { out.append("- Batches of `\(method.rules.batch)` come before the reply.") }
    }
    out += [
      "", "## Who may call what", "", "| method | viewer | recorder | admin | door | worker |",
      "| --- | --- | --- | --- | --- | --- |",
    ]
    out += self.methods.map(self.accessRow)
    out += ["", "## Messages"]
    for message in self.messages where message.hasWords || !self.isRequest(message) {
      out += ["", "### \(message.name)", ""]
      if !message.summary.isEmpty { out += [message.summary, ""] }
      if let record = message.record { out += [self.rules(of: record), ""] }
      out += message.fields.isEmpty ? ["No fields."] : message.fields.map { self.row($0, of: message) }
    }
    return out.joined(separator: "\n") + "\n"
  }

  /// The sections, in their order.
  private var contents: [String] {
    let services = self.methods.map(\.service)
    let changes = services.indices.filter { $0 == 0 || services[$0] != services[$0 - 1] }
    return changes.map { services[$0] } + ["Who may call what", "Messages"]
  }

  private func rules(of method: MethodModel) -> String {
    var words = [
      "role `\(method.role)`\(method.rules.open ? " or `door`" : "")", "timeout \(method.timeoutMilliseconds / 1000) s",
    ]
    if method.rules.mutating { words.append("mutating: the same key gives the same FINAL") }
    if method.rules.longRunning { words.append("long: reports progress; after a crash: \(method.rules.recovery)") }
    if method.rules.placeable { words.append("placeable, \(method.rules.delivery)") }
    if !method.rules.tool.isEmpty { words.append("tool `\(method.rules.tool)` of [assistants](assistants.md)") }
    return words.joined(separator: " · ")
  }

  private func fields(_ title: String, _ message: Descriptor) -> [String] {
    let names = message.fields.map { "`\($0.name)`" }.joined(separator: ", ")
    return ["- \(title) `\(message.name)`: \(names.isEmpty ? "no fields" : names)"]
  }

  private func isRequest(_ message: MessageModel) -> Bool {
    self.methods.contains { $0.request === message.descriptor }
  }

  private func rules(of record: Kith_V1_RecordRules) -> String {
    let owner =
      switch record.belongsTo {
      case .person: "belongs to a person"
      case .personOrNobody: "belongs to a person or to nobody"
      default: "belongs to nobody"
      }
    var words = ["kind `\(record.kind)`", owner, "stream `\(record.stream)`"]
    words.append("listed by \(record.byName ? "name" : "time")")
    if record.outlivesPerson { words.append("the server keeps it when its person is deleted") }
    return words.joined(separator: " · ")
  }

  private func row(_ field: FieldModel, of message: MessageModel) -> String {
    let (descriptor, isRecord) = (field.descriptor, message.record != nil)
    let type = descriptor.messageType?.name ?? descriptor.enumType?.name ?? String(describing: descriptor.type)
    let rules = field.rules ?? (isRecord ? Kith_V1_FieldRules() : nil)
    let words = rules?.words(
      isRepeated: descriptor.isRepeated, isNumber: descriptor.type == .uint32, isOfRecord: isRecord)
    return "- \(descriptor.number) `\(field.name)`: \(descriptor.isRepeated ? "repeated " : "")\(type)"
      + (words.map { $0.isEmpty ? "" : " [\($0.joined(separator: "; "))]" } ?? "")
      + (field.summary.isEmpty ? "" : " — \(field.summary)")
  }

  private func accessRow(_ method: MethodModel) -> String {
    let granted: [String] =
      switch method.rules.role {
      case .viewer: ["yes", "yes", "yes", method.rules.open ? "yes" : "-", "-"]
      case .recorder: ["-", "yes", "yes", "-", "-"]
      case .admin: ["-", "-", "yes", "-", "-"]
      case .door: ["-", "-", "yes", "yes", "-"]
      default: ["-", "-", "-", "-", "yes"]
      }
    return "| \(method.wireName) | \(granted.joined(separator: " | ")) |"
  }
}
