/// A message of D-Bus in the byte order of this machine: dbus.freedesktop.org, "D-Bus Specification", "Message Protocol".
///
/// A value without I/O: encodes calls, and decodes the heads of answers.
struct BusMessage: Sendable, Hashable {
  /// The type of a message.
  enum Kind: UInt8, Sendable {
    case call = 1
    case answer = 2
    case failure = 3
    case signal = 4
  }

  /// Its type.
  var kind: Kind
  /// The serial of the call that it answers; 0 if none.
  var answers: UInt32 = 0
  /// The name of the error; empty if none.
  var error = ""

  /// The most bytes of an answer; expected answers are a number or a sentence.
  static let longest = 1 << 20

  /// The bytes are no message.
  struct Garbled: Error {}

  // MARK: - Calls

  /// A method call.
  struct Call: Sendable, Hashable {
    /// The name of the receiver.
    var destination: String
    /// The path of the object.
    var path: String
    /// The interface.
    var interface: String
    /// The method.
    var member: String

    /// Encodes the call.
    ///
    /// - Parameters:
    ///   - serial: The number by which the answer refers to the call; not 0.
    ///   - signature: The types of the arguments; empty if there are none.
    ///   - body: The arguments, in these types.
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
      // The fields begin at offset 16, which keeps their alignment.
      head.append(fields)
      head.align(8)
      return head.bytes + body.bytes
    }
  }

  // MARK: - Answers

  /// Removes the first message from the received bytes.
  ///
  /// - Returns: Nil while the message is incomplete.
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
    // Messages of unknown types are ignored, as signals are.
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
