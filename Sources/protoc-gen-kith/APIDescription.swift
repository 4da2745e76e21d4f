import SwiftProtobufPluginLibrary

/// Emits the OpenAPI 3.1 description of all methods, with the JSON Schemas of all messages among its components.
struct APIDescription {
  let methods: [MethodModel]
  let messages: [MessageModel]
  let files: [FileDescriptor]

  var text: String {
    let writer = SchemaWriter(messages: self.messages, methods: self.methods)
    let schemas =
      self.messages.flatMap(writer.schemas) + self.enums.map { ($0.nameInPackage, SchemaWriter.schema(of: $0)) }
      + [("Error", Self.errorBody)]
    let services = self.files.flatMap(\.services).map { service in
      JSONText.object([("name", .text(service.name))] + SchemaWriter.described(service.comment))
    }
    let page = JSONText.object([
      ("openapi", .text("3.1.0")),
      ("info", Self.info),
      ("tags", .list(services)),
      // Methods of workers are called by the hub, and by nobody else.
      ("paths", .object(self.methods.filter { $0.rules.role != .worker }.map { ("/\($0.wireName)", self.item($0)) })),
      ("webhooks", .object(self.methods.filter { $0.rules.role == .worker }.map { ($0.wireName, self.item($0)) })),
      (
        "components",
        .object([
          ("schemas", .object(schemas.sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) })),
          ("responses", .object([("Error", Self.error)])), ("parameters", .object([("IdempotencyKey", Self.key)])),
          ("securitySchemes", .object([("device", Self.token)])),
        ])
      ),
      ("security", .list([.object([("device", .list([]))])])),
    ])
    return page.written() + "\n"
  }

  private var enums: [EnumDescriptor] {
    self.files.flatMap(\.enums) + self.messages.flatMap(\.descriptor.enums)
  }

  private static var info: JSONText {
    .object([
      ("title", .text("Kith")),
      ("version", .text("1.0")),
      (
        "description",
        .text(
          "The methods of kithd, each as one POST of its request in JSON, as kith-web serves them (docs/http.md). Generated "
            + "from proto/ by scripts/protos.sh. kithd itself speaks KITH/1 over ZeroMQ (docs/protocol.md), where the path is "
            + "the frame `service`, the body the frame `body` with ctype `json`, the idempotency key a field of the header of "
            + "at most 64 bytes, and an error the message Status. Methods of workers are "
            + "webhooks: the hub calls them. A schema NAMEInput is what is taken of a client, NAME what an answer has. "
            + "The schemas describe canonical proto3 JSON: lowerCamelCase, 64-bit numbers as strings, bytes in base64, "
            + "fields with their default value left out. The hub also takes snake_case, and ignores fields that it does "
            + "not know. Bytes that do not fit a body (pieces of blobs, sound) travel as attachments.")
      ),
    ])
  }

  private func item(_ method: MethodModel) -> JSONText {
    .object([("post", self.operation(method))])
  }

  private func operation(_ method: MethodModel) -> JSONText {
    let rules = method.rules
    var members: [(String, JSONText)] = [
      ("operationId", .text(method.identifier)), ("tags", .texts([method.service])), ("summary", .text(method.summary)),
    ]
    if rules.mutating {
      members.append(("parameters", .list([.object([("$ref", .text("#/components/parameters/IdempotencyKey"))])])))
    }
    members.append(
      ("requestBody", .object([("required", .flag(true)), ("content", Self.content(method.request.nameInPackage))])))
    members.append(
      (
        "responses",
        .object([
          (
            "200",
            .object([
              ("description", .text("The reply.")), ("content", Self.content(method.reply.nameInPackage)),
            ])
          ), ("default", .object([("$ref", .text("#/components/responses/Error"))])),
        ])
      ))
    members.append(("x-kith-role", .text(method.role)))
    members.append(("x-kith-mutating", .flag(rules.mutating)))
    members.append(("x-kith-timeout-ms", .number(Int(method.timeoutMilliseconds))))
    if rules.longRunning { members.append(("x-kith-recovery", .text("\(rules.recovery)"))) }
    if rules.placeable { members.append(("x-kith-delivery", .text("\(rules.delivery)"))) }
    if !rules.batch.isEmpty { members.append(("x-kith-batch", .object([SchemaWriter.reference(rules.batch)]))) }
    return .object(members)
  }

  private static func content(_ message: String) -> JSONText {
    .object([("application/json", .object([("schema", .object([SchemaWriter.reference(message)]))]))])
  }

  private static var error: JSONText {
    .object([
      (
        "description",
        .text(
          "Why nothing was done, as the Connect protocol has it; 401: the token is missing, or its device was revoked. "
            + "Programs look at `code`, and at `reason` in `debug`; `message` says to people what happened, to what, and what "
            + "to do. `retryAfterMs` above 0, or the field Retry-After: the same request, under the same key, may be sent again "
            + "after this. docs/protocol.md and docs/http.md have all reasons.")
      ), ("content", Self.content("Error")),
    ])
  }

  /// The JSON that `Refusal.body` of kith-web writes.
  private static var errorBody: JSONText {
    let detail = JSONText.object([
      ("type", .text("object")), ("required", .texts(["type", "value", "debug"])),
      (
        "properties",
        .object([
          ("type", .object([("const", .text("kith.v1.Status"))])),
          (
            "value",
            .object([
              ("description", .text("The Status in binary form, in base64 without padding.")),
              ("type", .text("string")),
            ])
          ), ("debug", .object([SchemaWriter.reference("Status")])),
        ])
      ),
    ])
    return .object([
      ("type", .text("object")), ("required", .texts(["code", "message", "details"])),
      (
        "properties",
        .object([
          (
            "code",
            .object([
              ("description", .text("A code of the Connect protocol, such as not_found.")), ("type", .text("string")),
            ])
          ), ("message", .object([("type", .text("string"))])),
          (
            "details",
            .object([
              ("description", .text("The Status of the hub, without what `code` and `message` say already.")),
              ("type", .text("array")), ("items", detail),
            ])
          ),
        ])
      ),
    ])
  }

  private static var token: JSONText {
    .object([
      ("description", .text("The token of a device or a script: docs/http.md says how to get one.")),
      ("type", .text("http")), ("scheme", .text("bearer")),
    ])
  }

  private static var key: JSONText {
    .object([
      ("name", .text("Idempotency-Key")), ("in", .text("header")),
      (
        "description",
        .text(
          "Printable ASCII without spaces. The same key with the same method and body gives the stored answer again, for 24 hours; with "
            + "others INVALID_ARGUMENT/IDEMPOTENCY_KEY_REUSED. A failure that changed nothing is not remembered.")
      ),
      (
        "schema",
        .object([
          ("type", .text("string")), ("minLength", .number(1)), ("maxLength", .number(255)),
          ("pattern", .text("^[!-~]+$")),
        ])
      ),
    ])
  }
}
