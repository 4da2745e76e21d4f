import SwiftProtobuf
import SwiftProtobufPluginLibrary

/// A message with the rules of its fields, as the emitters need it.
struct MessageModel {
  let descriptor: Descriptor
  let fields: [FieldModel]
  /// What makes it a kind of record; nil if it is none.
  let record: Kith_V1_RecordRules?
  /// Whether the hub checks it by a table of its fields.
  let isChecked: Bool
  let summary: String

  /// Reads all messages of files, those inside of others too.
  ///
  /// - Throws: ``GeneratorError`` for a rule that its field cannot have.
  static func all(of files: [FileDescriptor]) throws -> [MessageModel] {
    // Of each field that all kinds share, the rules that the first kind states.
    var shared: [String: Kith_V1_FieldRules] = [:]
    let choices = try self.choices(of: files)
    func models(_ message: Descriptor) throws -> [MessageModel] {
      let record = message.options.hasKith_V1_record ? message.options.Kith_V1_record : nil
      let fields = try message.fields.map { field in
        var rules = field.options.hasKith_V1_field ? field.options.Kith_V1_field : nil
        if record != nil, field.number < 20 {
          if let rules, shared[field.name] == nil { shared[field.name] = rules }
          rules = rules ?? shared[field.name]
        }
        if let type = rules?.type, !type.isEmpty {
          guard let named = choices[type] else {
            throw GeneratorError(description: "\(field.fullName): no field lists the choices of `type: \"\(type)\"`")
          }
          rules?.choices = named
        }
        return try FieldModel(field, rules)
      }
      let model = MessageModel(
        descriptor: message, fields: fields, record: record,
        isChecked: record != nil || message.options.Kith_V1_checked, summary: message.comment)
      if model.isChecked { try model.requireTable() }
      return try [model] + message.messages.filter { !$0.options.mapEntry }.flatMap(models)
    }
    let all = try files.flatMap(\.messages).flatMap(models)
    let numbers = all.compactMap(\.record?.number)
    guard Set(numbers).count == numbers.count, !numbers.contains(0) else {
      throw GeneratorError(description: "each kind of record needs a `number` of its own, above 0")
    }
    return all
  }

  /// The `type` of fields whose choices are the kinds of records.
  static let recordKind = "RecordKind"

  /// The choices of each name of `type`.
  ///
  /// - Throws: ``GeneratorError`` if two fields list them.
  private static func choices(of files: [FileDescriptor]) throws -> [String: [String]] {
    let kinds = files.flatMap(\.messages).filter(\.options.hasKith_V1_record).map(\.options.Kith_V1_record.kind)
    var choices = [Self.recordKind: kinds]
    func read(_ message: Descriptor) throws {
      for field in message.fields where !field.options.Kith_V1_field.type.isEmpty {
        let rules = field.options.Kith_V1_field
        guard !rules.choices.isEmpty else { continue }
        guard choices.updateValue(rules.choices, forKey: rules.type) == nil else {
          throw GeneratorError(description: "\(field.fullName): another field lists the choices of `\(rules.type)`")
        }
      }
      try message.messages.forEach(read)
    }
    try files.flatMap(\.messages).forEach(read)
    return choices
  }

  /// Throws where no table can say what its fields state.
  private func requireTable() throws {
    let names = Set(self.fields.map(\.name))
    for field in self.fields {
      func require(_ isSound: Bool, _ what: String) throws {
        guard isSound else { throw GeneratorError(description: "\(field.descriptor.fullName): \(what)") }
      }
      try require(!field.descriptor.isMap, "a table has no maps")
      guard let rules = field.rules else { continue }
      try require(rules.format != .name, "tables do not check NAME")
      try require(rules.follows.isEmpty || rules.place == .server, "`follows` is of what the server sets")
      try require(names.isSuperset(of: rules.follows), "`follows` names fields of the same message")
    }
  }

  /// The name within the package: "SyncStatus.State" of one inside of another.
  var name: String { self.descriptor.nameInPackage }
  /// Whether any of its fields has a rule.
  var hasRules: Bool { self.fields.contains { $0.rules != nil } }
  /// Whether there is more to say of it than the names of its fields.
  var hasWords: Bool { self.hasRules || self.fields.contains { !$0.summary.isEmpty } || !self.summary.isEmpty }
}

/// A field with its rules.
struct FieldModel {
  let descriptor: FieldDescriptor
  let rules: Kith_V1_FieldRules?
  let summary: String

  init(_ field: FieldDescriptor, _ rules: Kith_V1_FieldRules?) throws {
    self.descriptor = field
    self.rules = rules
    self.summary = field.comment
    guard let rules else { return }
    func require(_ isSound: Bool, _ what: String) throws {
      guard isSound else { throw GeneratorError(description: "\(field.fullName): \(what)") }
    }
    let isText = field.type == .string
    let isNumber = field.type == .uint32
    try require(rules.max == 0 || isText || isNumber, "`max` is of texts and numbers")
    try require(rules.min == 0 || isNumber, "`min` is of numbers")
    try require(rules.max == 0 || rules.min <= rules.max, "`min` is above `max`")
    try require(rules.maxBytes == 0 || isText, "`max_bytes` is of texts")
    try require(rules.maxItems == 0 || field.isRepeated, "`max_items` is of repeated fields")
    try require(rules.choices.isEmpty || isText, "`choices` is of texts")
    try require(rules.format == .any || isText, "`format` is of texts")
    try require(rules.merge != .text || (isText && !field.isRepeated), "`merge: TEXT` is of one text")
    try require(rules.merge != .set || (isText && field.isRepeated), "`merge: SET` is of several texts")
    try require(rules.merge != .each || (field.messageType != nil && field.isRepeated), "`merge: EACH` is of messages")
    try require(!rules.readOnly || !(rules.required || rules.fixed), "what is read only cannot be given")
  }

  /// A field to which no rules apply: the values of a map.
  init(plain field: FieldDescriptor) {
    self.descriptor = field
    self.rules = nil
    self.summary = ""
  }

  var name: String { self.descriptor.name }
  /// The name in JSON.
  var jsonName: String { self.descriptor.jsonName ?? self.descriptor.name }
  var isReadOnly: Bool { self.rules?.readOnly ?? false }
}

extension ProvidesSourceCodeLocation {
  /// The comment at it, on one line.
  var comment: String {
    self.protoSourceComments(commentPrefix: "", leadingDetachedPrefix: nil)
      .split(separator: "\n").map { $0.trimmingPrefix { $0 == " " } }.joined(separator: " ")
  }
}

extension Descriptor {
  /// The name without that of the package.
  var nameInPackage: String { String(self.fullName.dropFirst(self.file.package.count + 1)) }
}

extension EnumDescriptor {
  /// The name without that of the package.
  var nameInPackage: String { String(self.fullName.dropFirst(self.file.package.count + 1)) }
}

extension String {
  /// "contact_field" is "contactField".
  var lowerCamelCase: String {
    let parts = self.split(separator: "_")
    return parts.prefix(1).joined() + parts.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }
}
