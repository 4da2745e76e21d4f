/// What takes the elements of a document as an ``XMLParser`` finds them.
protocol XMLTarget: AnyObject {
  /// An element begins.
  ///
  /// - Parameters:
  ///   - name: Namespace, a space, local name; the local name alone where there is no namespace.
  ///   - attributes: By name, in the same form.
  /// - Returns: Whether the text directly inside is wanted.
  func startElement(_ name: String, attributes: [String: String]) throws(XMLFault) -> Bool

  /// The element that began last, and has not ended, ends.
  ///
  /// - Parameter text: UTF-8 with the line ends of XML 1.0 section 2.11; empty when it was not wanted. Its room is used again.
  func endElement(text: ArraySlice<UInt8>) throws(XMLFault)
}
