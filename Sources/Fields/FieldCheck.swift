public import Bus
public import KithMessages
public import SwiftProtobuf

/// Normalizes and checks a field of a message by its rules in `proto/`.
///
/// Only fields that a client has just set are checked. A text from the server that is too long here is no reason to refuse a change
/// of another field.
extension MessageField {
  /// Whether clients set it.
  public var isGiven: Bool { self.rules.isEditable || self.rules.isFixed }

  /// Normalizes the value as the server would: removes white space at both ends and repeated names.
  public func tidy(_ message: inout Message) {
    switch self.value {
    case .text(let path) where !self.rules.isFixed && self.rules.choices.isEmpty:
      message[keyPath: path].trim()
      if let formed = self.rules.format.formed(message[keyPath: path]) { message[keyPath: path] = formed }
    case .texts(let path):
      var seen: Set<String> = []
      message[keyPath: path] = message[keyPath: path].map(\.trimmed).filter { seen.insert($0).inserted }
    default: break
    }
  }

  /// The fault of the value and its remedy; nil if there is none.
  ///
  /// - Parameter now: The time of day in nanoseconds since 1970.
  public func fault(_ message: Message, now: Int64) -> String? {
    switch self.value {
    case .text(let path): self.rules.fault(of: message[keyPath: path], now: now)
    case .texts(let path): self.rules.fault(of: message[keyPath: path], now: now)
    case .number(let path): self.rules.fault(of: message[keyPath: path])
    case .moment(let get):
      // The hub sets the time of a call that lacks it before this check.
      if !self.rules.isPast {
        nil
      } else if let time = get(message) {
        time.fault(now: now)
      } else {
        "must be given: a moment as in 2026-01-31T14:05:00Z."
      }
    case .items(let count): self.rules.fault(ofCount: count(message))
    case .flag, .messages, .other: nil
    }
  }
}

extension CheckedMessage {
  /// Normalizes some of its fields.
  public mutating func tidy(_ fields: [MessageField<Self>]) {
    for field in fields { field.tidy(&self) }
  }

  /// Checks some of its fields.
  ///
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID` for the first with a fault.
  public func check(_ fields: [MessageField<Self>], now: Int64) throws(Failure) {
    for field in fields {
      if let why = field.fault(self, now: now) { throw .invalid(field: field.name, why) }
    }
  }
}

extension FieldRules {
  fileprivate func fault(of text: String, now: Int64) -> String? {
    guard !text.isEmpty else { return self.isRequired ? self.lack : nil }
    // It is the id of a person, which the store looks up.
    guard !self.isFixed else { return nil }
    guard self.choices.isEmpty else { return self.choices.contains(text) ? nil : self.choice }
    return self.format.fault(ofCharacters: text) ?? self.length(of: text)
      ?? self.format.fault(of: text, now: self.isPast ? now : nil)
  }

  fileprivate func fault(of texts: [String], now: Int64) -> String? {
    if let fault = self.fault(ofCount: texts.count) { return fault }
    for text in texts {
      let fault = text.isEmpty ? "must not be empty." : self.fault(of: text, now: now)
      if let fault { return "each \(fault)" }
    }
    return nil
  }

  fileprivate func fault(of number: UInt32) -> String? {
    guard self.max > 0, !(self.min...self.max).contains(Int(number)) else { return nil }
    return "is \(number); must be from \(self.min) to \(self.max)."
  }

  fileprivate func fault(ofCount count: Int) -> String? {
    self.maxItems == 0 || count <= self.maxItems ? nil : "has \(count) entries; at most \(self.maxItems) are kept."
  }

  private func length(of text: String) -> String? {
    self.max == 0 ? nil : TextLimit(self.max).fault(of: text)
  }

  private var lack: String {
    if !self.choices.isEmpty { return self.choice }
    if self.isFixed { return "must not be empty. Name a person by their id." }
    return self.format == .day ? "must not be empty; give a day as YYYY-MM-DD." : "must not be empty."
  }

  private var choice: String {
    "must be one of \(self.choices.joined(separator: ", "))\(self.isRequired ? "" : ", or empty")."
  }
}

extension Google_Protobuf_Timestamp {
  /// The fault of a time that must not be in the future; one day ahead is accepted because of time zones.
  public func fault(now: Int64) -> String? {
    guard (0..<1_000_000_000).contains(self.nanos), self.seconds >= -62_135_596_800 else {
      return "is no moment in time."
    }
    return self.seconds > now / 1_000_000_000 + 86_400 ? "lies in the future. Check the day and the time zone." : nil
  }
}

extension String {
  /// The text without white space at its ends, as the server stores it (Laravel's `TrimStrings`).
  public var trimmed: String {
    guard let start = self.firstIndex(where: { !$0.isWhitespace }),
      let end = self.lastIndex(where: { !$0.isWhitespace })
    else { return "" }
    return String(self[start...end])
  }

  /// Removes white space at both ends.
  public mutating func trim() { self = self.trimmed }
}
