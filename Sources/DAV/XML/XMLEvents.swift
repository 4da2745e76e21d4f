internal import CExpat

/// Turns the calls of expat into calls of an ``XMLTarget``: gathers text, keeps the bounds, holds the first fault.
///
/// A class, because expat keeps a pointer to it.
@safe final class XMLEvents {
  private let target: any XMLTarget
  private let limits: XMLLimits
  private(set) var fault: XMLFault?
  private var parser: OpaquePointer?
  private var depth = 0
  private var elements = 0
  private var text: [UInt8] = []
  /// The depth of the element whose text is wanted; 0 = none.
  private var textDepth = 0

  init(target: any XMLTarget, limits: XMLLimits) {
    self.target = target
    self.limits = limits
  }

  /// Sets the calls of a parser, which must not outlive this object.
  func attach(to parser: OpaquePointer) {
    unsafe self.parser = parser
    // expat gives the pointer back to the functions below, and the owner of the parser keeps this object alive.
    unsafe XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
    unsafe XML_SetElementHandler(
      parser, { context, name, attributes in unsafe XMLEvents.from(context).start(name, attributes) },
      { context, _ in unsafe XMLEvents.from(context).end() })
    unsafe XML_SetCharacterDataHandler(parser) { context, text, count in
      unsafe XMLEvents.from(context).characters(UnsafeBufferPointer(start: text, count: Int(count)))
    }
    unsafe XML_SetStartDoctypeDeclHandler(parser) { context, _, _, _, _ in
      unsafe XMLEvents.from(context).fail(.documentType)
    }
  }

  private static func from(_ context: UnsafeMutableRawPointer?) -> XMLEvents {
    guard let context = unsafe context else { preconditionFailure("expat lost its user data") }
    // Set by `attach`; the object is alive while its parser parses.
    return unsafe Unmanaged<XMLEvents>.fromOpaque(context).takeUnretainedValue()
  }

  private func fail(_ fault: XMLFault) {
    guard self.fault == nil else { return }
    self.fault = fault
    // Called from the parser's own handlers, where the parser is alive. Without this the rest of the piece would be read.
    unsafe XML_StopParser(self.parser, XML_Bool(0))
  }

  private func start(_ name: UnsafePointer<CChar>?, _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?) {
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
        self.text = []
        self.textDepth = self.depth
      }
    } catch { self.fail(error) }
  }

  private func characters(_ bytes: UnsafeBufferPointer<CChar>) {
    guard self.depth == self.textDepth, self.fault == nil else { return }
    guard self.text.count + bytes.count <= self.limits.textBytes else {
      return self.fail(.tooLarge("\(self.limits.textBytes) bytes in one element"))
    }
    // The bytes live for the call.
    unsafe self.text.append(contentsOf: UnsafeRawBufferPointer(bytes))
  }

  private func end() {
    guard self.fault == nil else { return }
    var taken: [UInt8] = []
    if self.depth == self.textDepth {
      swap(&taken, &self.text)
      self.textDepth = 0
    }
    self.depth -= 1
    do throws(XMLFault) { try self.target.endElement(text: taken) } catch { self.fail(error) }
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
