import SwiftProtobufPluginLibrary

/// One `rpc` line with its options, as the two emitters need it.
struct MethodModel {
  let service: String
  let name: String
  let wireName: String
  let summary: String
  let request: Descriptor
  let reply: Descriptor
  let rules: Kith_V1_MethodRules

  init(_ method: MethodDescriptor) throws {
    self.service = method.service.name
    self.name = method.name
    self.wireName = "\(method.service.fullName)/\(method.name)"
    self.request = method.inputType
    self.reply = method.outputType
    self.rules = method.options.Kith_V1_rules
    self.summary = method.comment
    guard self.rules.role != .unspecified else {
      throw GeneratorError(description: "\(self.wireName): option (rules).role is missing")
    }
    guard !self.summary.isEmpty else {
      throw GeneratorError(description: "\(self.wireName): a comment that says what it does is missing")
    }
  }

  /// The property's name in the method table: `contactsSync`.
  var identifier: String {
    let first = self.service.prefix(1).lowercased()
    return first + self.service.dropFirst() + self.name
  }

  var role: String { String(describing: self.rules.role) }
  var timeoutMilliseconds: UInt32 { self.rules.timeoutMs == 0 ? 30_000 : self.rules.timeoutMs }
}
