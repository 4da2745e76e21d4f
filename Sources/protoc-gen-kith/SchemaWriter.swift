import SwiftProtobuf
import SwiftProtobufPluginLibrary

/// Writes messages and enums as JSON Schemas (2020-12) of their proto3 JSON.
///
/// A message that people send and receive has two: `Gift` is what an answer has, which may be anything that a server had, and
/// `GiftInput` what is taken of a client, with the limits. What a schema refuses and
/// the hub accepts: docs/decisions/0048.
struct SchemaWriter {
  private let messages: [String: MessageModel]
  /// Full names of messages whose schema has the limits, because they are requests of people.
  private let requests: Set<String>
  /// Full names of messages that have a second schema with the limits.
  private let inputs: Set<String>

  init(messages: [MessageModel], methods: [MethodModel]) {
    let models = Dictionary(messages.map { ($0.descriptor.fullName, $0) }) { first, _ in first }
    let requests = Set(methods.filter { $0.rules.role != .worker }.map(\.request.fullName))
    var inputs: Set<String> = []
    for name in Self.closure(of: requests, in: models).subtracting(requests) {
      let isLimited = Self.closure(of: [name], in: models).contains { models[$0]?.isLimited ?? false }
      if isLimited { inputs.insert(name) }
    }
    self.messages = models
    self.requests = requests
    self.inputs = inputs
  }

  /// The schemas of a message, each under its name.
  func schemas(of message: MessageModel) -> [(String, JSONText)] {
    let name = message.descriptor.fullName
    let isRequest = self.requests.contains(name)
    var schemas = [(message.name, self.schema(of: message, isInput: isRequest))]
    if self.inputs.contains(name) { schemas.append((message.name + "Input", self.schema(of: message, isInput: true))) }
    return schemas
  }

  /// The schema of an enum: the names of its values.
  static func schema(of choices: EnumDescriptor) -> JSONText {
    .object(
      Self.described(choices.comment) + [
        ("type", .text("string")), ("enum", .texts(choices.values.map(\.name))),
      ])
  }

  /// A reference to a schema of the same page.
  static func reference(_ name: String) -> (String, JSONText) { ("$ref", .text("#/components/schemas/\(name)")) }

  /// The description of something that has one.
  static func described(_ text: String) -> [(String, JSONText)] {
    text.isEmpty ? [] : [("description", .text(text))]
  }

  private static func closure(of names: Set<String>, in messages: [String: MessageModel]) -> Set<String> {
    var closure: Set<String> = []
    var left = Array(names)
    while let name = left.popLast() {
      guard let message = messages[name], closure.insert(name).inserted else { continue }
      left += message.fields.filter { !$0.isReadOnly }.compactMap { $0.descriptor.messageType?.fullName }
    }
    return closure
  }

  private func schema(of message: MessageModel, isInput: Bool) -> JSONText {
    var members = Self.described(message.summary) + [("type", .text("object"))]
    let properties = message.fields.map { ($0.jsonName, self.schema(of: $0, in: message, isInput: isInput)) }
    if !properties.isEmpty { members.append(("properties", .object(properties))) }
    // Of a record only what makes one has to have them: an update has the fields that change.
    let required = message.record == nil && isInput ? message.fields.filter { $0.rules?.required ?? false } : []
    let made = isInput ? message.fields.filter { self.makes($0, in: message) } : []
    if !(required + made).isEmpty { members.append(("required", .texts((required + made).map(\.jsonName)))) }
    if let record = message.record { members.append(("x-kith-kind", .text(record.kind))) }
    let alternatives = message.descriptor.realOneofs.map { oneof in
      let each = oneof.fields.map { JSONText.object([("required", .texts([$0.jsonName ?? $0.name]))]) }
      return JSONText.object([("oneOf", .list(each + [.object([("not", .object([("anyOf", .list(each))]))])]))])
    }
    if !alternatives.isEmpty { members.append(("allOf", .list(alternatives))) }
    return .object(members)
  }

  /// Whether a record is made of the field: the `record` of a request that has a `client_id`.
  private func makes(_ field: FieldModel, in message: MessageModel) -> Bool {
    self.requests.contains(message.descriptor.fullName) && self.record(of: field) != nil
      && message.fields.contains { $0.name == "client_id" }
  }

  private func record(of field: FieldModel) -> MessageModel? {
    field.descriptor.messageType.flatMap { self.messages[$0.fullName] }.flatMap { $0.record == nil ? nil : $0 }
  }

  private func schema(of field: FieldModel, in message: MessageModel, isInput: Bool) -> JSONText {
    let descriptor = field.descriptor
    var members = Self.described(field.summary)
    if field.isReadOnly { members.append(("readOnly", .flag(true))) }
    if let entry = descriptor.messageType?.mapKeyAndValue {
      let value = FieldModel(plain: entry.value)
      members += [
        ("type", .text("object")), ("additionalProperties", .object(self.type(of: value, in: message, isInput))),
      ]
    } else if descriptor.isRepeated {
      members += [("type", .text("array")), ("items", .object(self.type(of: field, in: message, isInput)))]
      if isInput, let rules = field.rules {
        if rules.required, message.record == nil { members.append(("minItems", .number(1))) }
        if rules.maxItems > 0 { members.append(("maxItems", .number(Int(rules.maxItems)))) }
      }
    } else {
      members += self.type(of: field, in: message, isInput)
    }
    if isInput, self.makes(field, in: message), let record = self.record(of: field) { members += self.whole(record) }
    if message.record != nil, !isInput { members += Self.keeping(field.rules) }
    return .object(members)
  }

  /// What a record has to have when it is made.
  private func whole(_ record: MessageModel) -> [(String, JSONText)] {
    let required = record.fields.filter { $0.rules?.required ?? false }
    let texts = required.filter { $0.descriptor.type == .string }
    return [
      ("required", .texts(required.map(\.jsonName))),
      ("properties", .object(texts.map { ($0.jsonName, .object([("minLength", .number(1))])) })),
    ]
  }

  /// Where a field of a record is kept, how it is merged, and which names it may have.
  private static func keeping(_ rules: Kith_V1_FieldRules?) -> [(String, JSONText)] {
    let rules = rules ?? Kith_V1_FieldRules()
    var members = [("x-kith-place", JSONText.text("\(rules.place)"))]
    if rules.place == .both, !rules.readOnly { members.append(("x-kith-merge", .text("\(rules.merge)"))) }
    if !rules.catalog.isEmpty { members.append(("x-kith-catalog", .text(rules.catalog))) }
    return members
  }

  /// The type of one value of a field.
  private func type(of field: FieldModel, in message: MessageModel, _ isInput: Bool) -> [(String, JSONText)] {
    let descriptor = field.descriptor
    switch descriptor.type {
    case .string:
      return [("type", .text("string"))] + Self.limits(ofText: field, isRecord: message.record != nil, isInput)
    case .bool: return [("type", .text("boolean"))]
    case .uint32:
      let rules = isInput ? field.rules : nil
      let most = rules.flatMap { $0.max > 0 ? $0.max : nil } ?? UInt32.max
      return [
        ("type", .text("integer")), ("minimum", .number(Int(rules?.min ?? 0))), ("maximum", .number(Int(most))),
      ]
    // proto3 JSON writes numbers of 64 bits as strings.
    case .uint64: return [("type", .text("string")), ("pattern", .text("^[0-9]{1,20}$"))]
    case .float: return [("type", .text("number"))]
    case .bytes: return [("type", .text("string")), ("contentEncoding", .text("base64"))]
    case .enum: return [Self.reference(descriptor.enumType.nameInPackage)]
    default: break
    }
    switch descriptor.messageType.fullName {
    case "google.protobuf.Timestamp": return [("type", .text("string")), ("format", .text("date-time"))]
    case "google.protobuf.Duration":
      return [("type", .text("string")), ("pattern", .text("^-?[0-9]+(\\.[0-9]{1,9})?s$"))]
    default:
      let isLimited = isInput && !field.isReadOnly && self.inputs.contains(descriptor.messageType.fullName)
      return [Self.reference(descriptor.messageType.nameInPackage + (isLimited ? "Input" : ""))]
    }
  }

  private static func limits(ofText field: FieldModel, isRecord: Bool, _ isInput: Bool) -> [(String, JSONText)] {
    guard let rules = field.rules else { return [] }
    guard isInput, !rules.readOnly else {
      // What a server sets may be another word.
      let isOurs = !isRecord || rules.readOnly
      return rules.choices.isEmpty || !isOurs || isInput ? [] : [("enum", .texts(rules.choices))]
    }
    var limits: [(String, JSONText)] = []
    let mayBeEmpty = isRecord || !rules.required
    // A text of so many bytes has no more characters.
    let most = [rules.max, rules.maxBytes].filter { $0 > 0 }.min()
    if !mayBeEmpty, rules.choices.isEmpty { limits.append(("minLength", .number(1))) }
    if let most { limits.append(("maxLength", .number(Int(most)))) }
    if let pattern = rules.format.pattern { limits.append(("pattern", .text(pattern))) }
    if !rules.choices.isEmpty, !rules.loose {
      limits.append(("enum", .texts((mayBeEmpty ? [""] : []) + rules.choices)))
    }
    return limits
  }
}

extension MessageModel {
  /// Whether what is taken of a client is less than what an answer may have.
  fileprivate var isLimited: Bool {
    self.record != nil
      || self.fields.contains { field in
        guard let rules = field.rules, !rules.readOnly else { return false }
        return rules.max > 0 || rules.maxBytes > 0 || rules.maxItems > 0 || rules.required || rules.format != .any
          || !rules.choices.isEmpty
      }
  }
}

extension Kith_V1_FieldRules.Format {
  /// Refuses what cannot be of the format, blanks at the ends aside; nil for any text.
  fileprivate var pattern: String? {
    switch self {
    case .line: "^\\s*[^\\u0000-\\u001f\\u007f-\\u009f]*\\s*$"
    case .word: "^\\s*[^\\s!-,./:-@\\[-\\^`{-~]*\\s*$"
    case .name: "^[a-z0-9][a-z0-9-]{0,31}$"
    case .day: "^\\s*([0-9]{4}-[0-9]{2}-[0-9]{2})?\\s*$"
    case .partialDay: "^\\s*([0-9]{4}-[0-9]{2}-[0-9]{2}|--[0-9]{2}-[0-9]{2}|~[0-9]{4})?\\s*$"
    case .time: "^([0-9]{1,2}:[0-9]{2})?$"
    case .amount: "^\\s*([0-9]{1,12}(\\.[0-9]{1,2})?)?\\s*$"
    case .country: "^\\s*([A-Za-z]{2})?\\s*$"
    case .latitude, .longitude: "^\\s*[0-9.-]*\\s*$"
    default: nil
    }
  }
}
