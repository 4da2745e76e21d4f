import SwiftProtobufPluginLibrary

/// Emits the reference page of all services: rules, request and reply fields, and who may call what.
struct ServiceReference {
  let methods: [MethodModel]
  let files: [FileDescriptor]

  var text: String {
    var out = [
      "# Services",
      "",
      "Generated from `proto/` by `scripts/protos.sh`. Field names are those of the proto files; in JSON they are",
      "lowerCamelCase (snake_case is accepted). Frames, headers and error codes are in [protocol.md](protocol.md).",
      "",
    ]
    out += self.contents.map { "* [\($0)](#\($0.lowercased().split(separator: " ").joined(separator: "-")))" }
    var service = ""
    for method in self.methods {
      if method.service != service {
        service = method.service
        out += ["", "## \(service)"]
        let prose =
          self.files.flatMap(\.services).first { $0.name == service }?
          .protoSourceComments(commentPrefix: "", leadingDetachedPrefix: nil) ?? ""
        if !prose.isEmpty { out += ["", flattened(prose)] }
      }
      out += ["", "### \(method.wireName)", "", method.summary, "", self.rules(of: method), ""]
      out += self.fields("Request", method.request)
      out += self.fields("Reply", method.reply)
      if !method.rules.batch.isEmpty { out.append("- Batches of `\(method.rules.batch)` come before the reply.") }
    }
    out += [
      "", "## Who may call what", "", "| method | viewer | recorder | admin | worker |",
      "| --- | --- | --- | --- | --- |",
    ]
    out += self.methods.map(self.accessRow)
    out += ["", "## Messages"]
    for message in self.files.flatMap(\.messages) where !self.methods.contains(where: { $0.request === message }) {
      out += ["", "### \(message.name)", ""]
      let prose = flattened(message.protoSourceComments(commentPrefix: "", leadingDetachedPrefix: nil))
      if !prose.isEmpty { out += [prose, ""] }
      out += message.fields.isEmpty ? ["No fields."] : message.fields.map(self.row)
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
    var words = ["role `\(method.role)`", "timeout \(method.timeoutMilliseconds / 1000) s"]
    if method.rules.mutating { words.append("mutating: the same key gives the same FINAL") }
    if method.rules.longRunning { words.append("long: reports progress; after a crash: \(method.rules.recovery)") }
    if method.rules.placeable { words.append("placeable, \(method.rules.delivery)") }
    return words.joined(separator: " · ")
  }

  private func fields(_ title: String, _ message: Descriptor) -> [String] {
    let names = message.fields.map { "`\($0.name)`" }.joined(separator: ", ")
    return ["- \(title) `\(message.name)`: \(names.isEmpty ? "no fields" : names)"]
  }

  private func row(_ field: FieldDescriptor) -> String {
    let type = field.messageType?.name ?? field.enumType?.name ?? String(describing: field.type)
    let prose = flattened(field.protoSourceComments(commentPrefix: "", leadingDetachedPrefix: nil))
    return
      "- \(field.number) `\(field.name)`: \(field.isRepeated ? "repeated " : "")\(type)\(prose.isEmpty ? "" : " — \(prose)")"
  }

  private func accessRow(_ method: MethodModel) -> String {
    let granted: [String] =
      switch method.rules.role {
      case .viewer: ["yes", "yes", "yes", "-"]
      case .recorder: ["-", "yes", "yes", "-"]
      case .admin: ["-", "-", "yes", "-"]
      default: ["-", "-", "-", "yes"]
      }
    return "| \(method.wireName) | \(granted.joined(separator: " | ")) |"
  }

  private func flattened(_ comment: String) -> String {
    comment.split(separator: "\n").map { $0.trimmingPrefix { $0 == " " } }.joined(separator: " ")
  }
}
