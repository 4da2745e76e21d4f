import DAV

/// Answers of CardDAV servers: a document that comes in pieces reads as the whole does.
enum Multistatus: FuzzTarget {
  static var seeds: [[UInt8]] {
    [
      #"<?xml version="1.0"?><d:multistatus xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:carddav"><d:response>"#
        + #"<d:href>/b/a.vcf</d:href><d:propstat><d:prop><d:getetag>"1"</d:getetag><c:address-data><![CDATA[BEGIN:VCARD"#
        + "\n]]>END:VCARD&#13;</c:address-data></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>"
        + "<d:response><d:href>/b/</d:href><d:status>HTTP/1.1 507 No</d:status><d:error><d:number-of-matches-within-limits/>"
        + "</d:error></d:response><d:sync-token>t1</d:sync-token></d:multistatus>",
      #"<multistatus xmlns="DAV:"><response><href>/p/</href><propstat><prop><resourcetype><collection/></resourcetype>"#
        + "<current-user-principal><href>/p/a/</href></current-user-principal><supported-report-set><supported-report>"
        + "<report><sync-collection/></report></supported-report></supported-report-set></prop><status>HTTP/1.1 200 OK</status>"
        + "</propstat></response></multistatus>",
      #"<D:error xmlns:D="DAV:"><D:valid-sync-token/></D:error>"#,
      #"<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>"#,
    ].map { Array($0.utf8) }
  }

  /// What came of a document.
  private struct Reading: Equatable {
    var responses: [DAVResponse] = []
    var end: MultistatusEnd?
  }

  static func read(_ input: [UInt8]) {
    let whole = self.reading(input, pieces: max(1, input.count))
    let parts = self.reading(input, pieces: 1 + Int(input.last ?? 0) % 16)
    require(whole == parts, "a document in pieces has other responses than the whole")
  }

  private static func reading(_ input: [UInt8], pieces: Int) -> Reading {
    var reading = Reading()
    guard var reader = try? MultistatusReader() else { return reading }
    do {
      for start in stride(from: 0, to: input.count, by: pieces) {
        reading.responses += unsafe try reader.read(input[start..<min(input.count, start + pieces)].span.bytes)
      }
      let (responses, end) = try reader.finish()
      reading.responses += responses
      reading.end = end
    } catch {
      reading.responses += reader.rescued()
    }
    return reading
  }
}
