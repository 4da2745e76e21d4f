internal import CExpat

/// Turns the callbacks of expat into calls of an ``XMLTarget``: collects text, enforces the limits, keeps the first
/// fault.
@safe struct XMLEvents {
  private let target: any XMLTarget
  private let limits: XMLLimits
  private let parser: OpaquePointer
  private(set) var fault: XMLFault?
  private var elements = 0
  private var depth = 0
  /// The text so far; its capacity is reused for the next element.
  private var text: [UInt8] = []
  /// The depth of the element whose text is wanted; 0 for none.
  private var textDepth = 0

  /// - Parameter parser: Has to be alive when it calls.
  init(target: any XMLTarget, limits: XMLLimits, parser: OpaquePointer) {
    self.target = target
    self.limits = limits
    unsafe self.parser = unsafe parser
  }

  /// Makes a parser call the events at a place, which has to outlive it.
  static func attach(_ events: UnsafeMutablePointer<XMLEvents>, to parser: OpaquePointer) {
    // expat gives the pointer back to the functions below.
    unsafe XML_SetUserData(parser, UnsafeMutableRawPointer(events))
    unsafe XML_SetElementHandler(
      parser, { context, name, attributes in unsafe XMLEvents.call(context) { unsafe $0.start(name, attributes) } },
      { context, _ in unsafe XMLEvents.call(context) { $0.end() } })
    unsafe XML_SetCharacterDataHandler(parser) { context, text, count in
      unsafe XMLEvents.call(context) { unsafe $0.characters(UnsafeRawBufferPointer(start: text, count: Int(count))) }
    }
    unsafe XML_SetStartDoctypeDeclHandler(parser) { context, _, _, _, _ in
      unsafe XMLEvents.call(context) { $0.fail(.documentType) }
    }
  }

  /// Calls what expat was given by `attach`.
  private static func call(_ context: UnsafeMutableRawPointer?, _ body: (inout XMLEvents) -> Void) {
    guard let context = unsafe context else { return }
    // expat calls one handler at a time, and no handler parses: nothing else has the events meanwhile.
    unsafe body(&context.assumingMemoryBound(to: XMLEvents.self).pointee)
  }

  private mutating func fail(_ fault: XMLFault) {
    guard self.fault == nil else { return }
    self.fault = fault
    self.textDepth = 0
    // Called from the parser's own handlers, where the parser is alive. Without this the rest of the piece would be read.
    unsafe XML_StopParser(self.parser, XML_Bool(0))
  }

  private mutating func start(_ name: UnsafePointer<CChar>?, _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?)
  {
    guard self.fault == nil, let name = unsafe name else { return }
    self.depth += 1
    self.elements += 1
    guard self.depth <= self.limits.depth else { return self.fail(.tooLarge("\(self.limits.depth) nested elements")) }
    guard self.elements <= self.limits.elements else {
      return self.fail(.tooLarge("\(self.limits.elements) elements"))
    }
    do throws(XMLFault) {
      // expat's strings end with NUL and live for the call.
      let wantsText = unsafe try self.target.startElement(
        String(cString: name), attributes: Self.dictionary(attributes))
      if wantsText {
        self.text.removeAll(keepingCapacity: true)
        self.textDepth = self.depth
      }
    } catch { self.fail(error) }
  }

  private mutating func characters(_ bytes: UnsafeRawBufferPointer) {
    guard self.depth == self.textDepth else { return }
    guard self.text.count + bytes.count <= self.limits.textBytes else {
      return self.fail(.tooLarge("\(self.limits.textBytes) bytes in one element"))
    }
    // The bytes live for the call.
    unsafe self.text.append(contentsOf: bytes)
  }

  private mutating func end() {
    guard self.fault == nil else { return }
    let isWanted = self.depth == self.textDepth
    if isWanted { self.textDepth = 0 }
    self.depth -= 1
    do throws(XMLFault) { try self.target.endElement(text: isWanted ? self.text[...] : []) } catch { self.fail(error) }
  }

  /// The names and values that alternate in expat's list, which ends with null.
  private static func dictionary(_ list: UnsafeMutablePointer<UnsafePointer<CChar>?>?) -> [String: String] {
    guard var next = unsafe list, unsafe next.pointee != nil else { return [:] }
    var attributes: [String: String] = [:]
    while let name = unsafe next[0], let value = unsafe next[1] {
      // Both are strings that live for the call.
      unsafe attributes[String(cString: name)] = unsafe String(cString: value)
      unsafe next += 2
    }
    return attributes
  }
}
