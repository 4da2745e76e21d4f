/// A message of D-Bus in the byte order of this machine: dbus.freedesktop.org, "D-Bus Specification", "Message Protocol".
///
/// A value without I/O: calls become bytes, and the head of an answer is read from them.
struct BusMessage: Sendable, Hashable {
  /// What a message is.
  enum Kind: UInt8, Sendable {
    case call = 1
    case answer = 2
    case failure = 3
    case signal = 4
  }

  /// What it is.
  var kind: Kind
  /// The serial of the call that it answers; 0 = it answers none.
  var answers: UInt32 = 0
  /// The name of what went wrong; empty = nothing did.
  var error = ""

  /// Bytes that an answer may have: those that are wanted here are a number, or a sentence.
  static let longest = 1 << 20

  /// Why bytes are no message.
  struct Garbled: Error {}

  // MARK: - Calls

  /// A method that is called.
  struct Call: Sendable, Hashable {
    /// Who is asked.
    var destination: String
    /// Of which object.
    var path: String
    /// Of which interface.
    var interface: String
    /// Which method.
    var member: String

    /// Its bytes.
    ///
    /// - Parameters:
    ///   - serial: By which the answer names it; not 0.
    ///   - signature: The types of what it takes; empty = nothing.
    ///   - body: What it takes, by these types.
    func bytes(serial: UInt32, signature: String = "", body: BusWriter = BusWriter()) -> [UInt8] {
      var fields = BusWriter()
      fields.field(1, "o", self.path)
      fields.field(2, "s", self.interface)
      fields.field(3, "s", self.member)
      fields.field(6, "s", self.destination)
      if !signature.isEmpty {
        fields.align(8)
        fields.byte(8)
        fields.signature("g")
        fields.signature(signature)
      }
      var head = BusWriter()
      // Little or big endian, the kind, no flags, version 1.
      for byte in [BusWriter.byteOrder, Kind.call.rawValue, 0, 1] { head.byte(byte) }
      head.number(UInt32(body.bytes.count))
      head.number(serial)
      head.number(UInt32(fields.bytes.count))
      // The fields begin at 16, which is as aligned as they think they are.
      head.append(fields)
      head.align(8)
      return head.bytes + body.bytes
    }
  }

  // MARK: - Answers

  /// Takes the first message out of what has come.
  ///
  /// - Returns: Nil while there is more to come.
  static func take(from input: inout [UInt8]) throws(Garbled) -> BusMessage? {
    guard input.count >= 16 else { return nil }
    var reader = BusReader(input)
    let (order, kind) = (try reader.byte(), try reader.byte())
    guard order == BusWriter.byteOrder else { throw Garbled() }
    reader.skip(2)
    let bodyLength = Int(try reader.number())
    _ = try reader.number()
    let fieldsLength = Int(try reader.number())
    guard bodyLength <= Self.longest, fieldsLength <= Self.longest else { throw Garbled() }
    let length = (16 + fieldsLength + 7) / 8 * 8 + bodyLength
    guard input.count >= length else { return nil }
    defer { input.removeFirst(length) }
    // What is of a kind to come is to be passed over.
    var message = BusMessage(kind: Kind(rawValue: kind) ?? .signal)
    while reader.at < 16 + fieldsLength {
      reader.align(8)
      let field = try reader.byte()
      switch try reader.signature() {
      case "s", "o":
        let text = try reader.string()
        if field == 4 { message.error = text }
      case "u":
        let number = try reader.number()
        if field == 5 { message.answers = number }
      case "g": _ = try reader.signature()
      default: throw Garbled()
      }
    }
    return message
  }
}
