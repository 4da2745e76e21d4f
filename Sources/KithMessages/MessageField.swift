public import SwiftProtobuf

/// A message that has a table of its fields.
///
/// ```swift
/// for field in Gift.fields where field.rules.isRequired { print(field.name) }
/// ```
public protocol CheckedMessage: SwiftProtobuf.Message, Sendable {
  /// Its fields with their rules, in the order of `proto/`.
  static var fields: [MessageField<Self>] { get }
}

extension CheckedMessage {
  /// The field of a name; nil if there is none.
  ///
  /// - Parameter name: The name in `proto/`: "person_name".
  public static func field(_ name: String) -> MessageField<Self>? { Self.fields.first { $0.name == name } }

  /// The key path of a text field; nil if there is none of the name.
  public static func textPath(_ name: String) -> (any WritableKeyPath<Self, String> & Sendable)? {
    if case .text(let path)? = Self.field(name)?.value { path } else { nil }
  }

  /// The key path of a boolean field; nil if there is none of the name.
  public static func flagPath(_ name: String) -> (any WritableKeyPath<Self, Bool> & Sendable)? {
    if case .flag(let path)? = Self.field(name)?.value { path } else { nil }
  }
}

/// A field of a message: the rules that `proto/` states for it, and access to its value.
///
/// ```swift
/// for field in Gift.fields where field.rules.place == .derived { field.copy(Gift(), &gift) }
/// ```
///
/// A class, because the hub walks these tables for each record that it stores, and copies of a structure of this size cost too much.
public final class MessageField<Message: SwiftProtobuf.Message>: Sendable {
  /// Access to a value, by its type.
  public enum Value: Sendable {
    /// A text.
    case text(any WritableKeyPath<Message, String> & Sendable)
    /// Texts.
    case texts(any WritableKeyPath<Message, [String]> & Sendable)
    /// A number of 32 bits.
    case number(any WritableKeyPath<Message, UInt32> & Sendable)
    /// True or false.
    case flag(any WritableKeyPath<Message, Bool> & Sendable)
    /// A moment, or none.
    case moment(@Sendable (Message) -> Google_Protobuf_Timestamp?)
    /// The messages of a conversation.
    case messages(any WritableKeyPath<Message, [ConversationMessage]> & Sendable)
    /// A list of something else: its count.
    case items(@Sendable (Message) -> Int)
    /// A value that no rule checks.
    case other
  }

  /// Copies the value from one message to another.
  public typealias Copy = @Sendable (_ source: Message, _ target: inout Message) -> Void

  /// Its rules in `proto/`.
  public let rules: FieldRules
  /// Access to its value.
  public let value: Value
  /// Whether two messages have the same value.
  public let isEqual: @Sendable (Message, Message) -> Bool
  /// Copies the value from one message to another.
  public let copy: Copy

  /// The name in `proto/`: "first_name".
  public var name: String { self.rules.name }

  private init<Content: Equatable & Sendable>(
    _ rules: FieldRules, _ value: Value, _ copy: @escaping Copy, get: @escaping @Sendable (Message) -> Content
  ) {
    self.rules = rules
    self.value = value
    self.copy = copy
    self.isEqual = { get($0) == get($1) }
  }

  static func text(
    _ path: any WritableKeyPath<Message, String> & Sendable, _ copy: @escaping Copy, _ rules: FieldRules
  ) -> MessageField {
    MessageField(rules, .text(path), copy) { $0[keyPath: path] }
  }

  static func texts(
    _ path: any WritableKeyPath<Message, [String]> & Sendable, _ copy: @escaping Copy, _ rules: FieldRules
  ) -> MessageField {
    MessageField(rules, .texts(path), copy) { $0[keyPath: path] }
  }

  static func number(
    _ path: any WritableKeyPath<Message, UInt32> & Sendable, _ copy: @escaping Copy, _ rules: FieldRules
  ) -> MessageField {
    MessageField(rules, .number(path), copy) { $0[keyPath: path] }
  }

  static func flag(
    _ path: any WritableKeyPath<Message, Bool> & Sendable, _ copy: @escaping Copy, _ rules: FieldRules
  ) -> MessageField {
    MessageField(rules, .flag(path), copy) { $0[keyPath: path] }
  }

  static func messages(
    _ path: any WritableKeyPath<Message, [ConversationMessage]> & Sendable, _ copy: @escaping Copy, _ rules: FieldRules
  ) -> MessageField {
    MessageField(rules, .messages(path), copy) { $0[keyPath: path] }
  }

  static func items<Item: Equatable & Sendable>(
    _ path: any WritableKeyPath<Message, [Item]> & Sendable, _ copy: @escaping Copy, _ rules: FieldRules
  ) -> MessageField {
    MessageField(rules, .items({ $0[keyPath: path].count }), copy) { $0[keyPath: path] }
  }

  static func other<Content: Equatable & Sendable>(
    _ path: any WritableKeyPath<Message, Content> & Sendable, _ copy: @escaping Copy, _ rules: FieldRules
  ) -> MessageField {
    MessageField(rules, .other, copy) { $0[keyPath: path] }
  }

  static func moment(
    _ has: any KeyPath<Message, Bool> & Sendable,
    _ path: any WritableKeyPath<Message, Google_Protobuf_Timestamp> & Sendable, _ copy: @escaping Copy,
    _ rules: FieldRules
  ) -> MessageField {
    let get: @Sendable (Message) -> Google_Protobuf_Timestamp? = { $0[keyPath: has] ? $0[keyPath: path] : nil }
    return MessageField(rules, .moment(get), copy, get: get)
  }

  static func message<Content: Equatable & Sendable>(
    _ has: any KeyPath<Message, Bool> & Sendable, _ path: any WritableKeyPath<Message, Content> & Sendable,
    _ copy: @escaping Copy, _ rules: FieldRules
  ) -> MessageField {
    let get: @Sendable (Message) -> Content? = { $0[keyPath: has] ? $0[keyPath: path] : nil }
    return MessageField(rules, .other, copy, get: get)
  }
}
