/// The same facts in the spelling of several servers. Written by hand, each peculiarity as it was observed.
enum Dialects {
  /// Radicale 3.9: default namespace, CR entities are not used, tokens are URLs.
  static let radicaleBook = """
    <?xml version='1.0' encoding='utf-8'?>
    <multistatus xmlns="DAV:" xmlns:CR="urn:ietf:params:xml:ns:carddav" xmlns:CS="http://calendarserver.org/ns/">
      <response><href>/alice/book/</href><propstat><prop>
        <resourcetype><CR:addressbook/><collection/></resourcetype>
        <sync-token>http://radicale.org/ns/sync/3f0c</sync-token>
        <CS:getctag>"3f0c"</CS:getctag>
        <supported-report-set><supported-report><report><sync-collection/></report></supported-report>
          <supported-report><report><CR:addressbook-multiget/></report></supported-report></supported-report-set>
        <CR:supported-address-data><CR:address-data-type content-type="text/vcard" version="3.0"/></CR:supported-address-data>
      </prop><status>HTTP/1.1 200 OK</status></propstat>
      <propstat><prop><CR:max-resource-size/></prop><status>HTTP/1.1 404 Not Found</status></propstat></response>
    </multistatus>
    """

  /// Xandikos 0.2: generated prefixes, no level of `report`, another name inside supported-address-data, a bare token.
  static let xandikosBook = """
    <ns0:multistatus xmlns:ns0="DAV:" xmlns:ns1="urn:ietf:params:xml:ns:carddav" xmlns:ns2="http://calendarserver.org/ns/">\
    <ns0:response><ns0:href>/user/contacts/book/</ns0:href><ns0:propstat><ns0:status>HTTP/1.1 200 OK</ns0:status><ns0:prop>\
    <ns0:resourcetype><ns0:collection /><ns1:addressbook /></ns0:resourcetype>\
    <ns0:sync-token>0a1b2c3d4e5f60718293a4b5c6d7e8f901234567</ns0:sync-token>\
    <ns2:getctag>0a1b2c3d4e5f60718293a4b5c6d7e8f901234567</ns2:getctag>\
    <ns0:supported-report-set><ns0:supported-report><ns0:sync-collection /></ns0:supported-report></ns0:supported-report-set>\
    <ns1:supported-address-data><ns1:content-type content-type="text/vcard" version="3.0" /></ns1:supported-address-data>\
    </ns0:prop></ns0:propstat></ns0:response></ns0:multistatus>
    """

  /// sabre/dav: `d:` and `card:`, more prefixes on the elements themselves, tokens end with a number.
  static let sabreBook = """
    <?xml version="1.0"?>
    <d:multistatus xmlns:d="DAV:" xmlns:s="http://sabredav.org/ns" xmlns:card="urn:ietf:params:xml:ns:carddav">\
    <d:response><d:href>/addressbooks/alice/book/</d:href><d:propstat><d:prop>\
    <d:resourcetype><d:collection/><card:addressbook/></d:resourcetype>\
    <d:sync-token>http://sabre.io/ns/sync/17</d:sync-token>\
    <x1:getctag xmlns:x1="http://calendarserver.org/ns/">17</x1:getctag>\
    <d:supported-report-set><d:supported-report><d:report><d:sync-collection/></d:report></d:supported-report></d:supported-report-set>\
    <card:supported-address-data><card:address-data-type content-type="text/vcard" version="3.0"/>\
    <card:address-data-type content-type="text/vcard" version="4.0"/>\
    <card:address-data-type content-type="application/vcard+json" version="4.0"/></card:supported-address-data>\
    <card:max-resource-size>10000000</card:max-resource-size>\
    <d:current-user-privilege-set><d:privilege><d:read/></d:privilege><d:privilege><d:write/></d:privilege></d:current-user-privilege-set>\
    </d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response></d:multistatus>
    """

  /// sabre/dav again: CR as a character reference, lower-case escapes.
  static let sabreCards = """
    <?xml version="1.0"?>
    <d:multistatus xmlns:d="DAV:" xmlns:card="urn:ietf:params:xml:ns:carddav">\
    <d:response><d:href>/addressbooks/alice/book/sp%20ace%26%c3%bc.vcf</d:href><d:propstat><d:prop>\
    <d:getetag>&quot;m1&quot;</d:getetag><card:address-data>BEGIN:VCARD&#13;
    NOTE:a &amp; b &lt;c&gt; é&#13;
    END:VCARD&#13;
    </card:address-data></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response></d:multistatus>
    """

  /// Radicale: CR LF unescaped, which XML turns into LF; missing cards come first.
  static let radicaleCards =
    "<multistatus xmlns=\"DAV:\" xmlns:CR=\"urn:ietf:params:xml:ns:carddav\"><response><href>/alice/book/gone.vcf</href>"
    + "<status>HTTP/1.1 404 Not Found</status></response><response><href>/alice/book/a.vcf</href><propstat><prop>"
    + "<getetag>\"r1\"</getetag><CR:address-data>BEGIN:VCARD\r\nFN:Ä\r\nEND:VCARD\r\n</CR:address-data></prop>"
    + "<status>HTTP/1.1 200 OK</status></propstat></response></multistatus>"

  /// Changes since a token, one deleted.
  static let changes = """
    <multistatus xmlns="DAV:"><response><href>/alice/book/new.vcf</href><propstat><prop><getetag>"n"</getetag>\
    <resourcetype/><getcontenttype>text/vcard;charset=utf-8</getcontenttype></prop><status>HTTP/1.1 200 OK</status></propstat>\
    </response><response><href>/alice/book/old.vcf</href><status>HTTP/1.1 404 Not Found</status></response>\
    <response><href>/alice/book/</href><status>HTTP/1.1 507 Insufficient Storage</status>\
    <error><number-of-matches-within-limits/></error></response><sync-token>t2</sync-token></multistatus>
    """

  /// Xandikos about an address book that does not exist: a successful status outside, not found inside, an absolute
  /// href.
  static let xandikosMissing = """
    <ns0:multistatus xmlns:ns0="DAV:"><ns0:response><ns0:href>http%3A//127.0.0.1%3A8089/user/contacts/none/</ns0:href>\
    <ns0:status>HTTP/1.1 404 Not Found</ns0:status></ns0:response></ns0:multistatus>
    """

  /// A principal with two homes, and a second user in the group.
  static let principal = """
    <d:multistatus xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:carddav"><d:response><d:href>/principals/alice/</d:href>\
    <d:propstat><d:prop><d:resourcetype><d:collection/><d:principal/></d:resourcetype>\
    <d:current-user-principal><d:href>/principals/alice/</d:href></d:current-user-principal>\
    <d:principal-URL><d:href>/principals/alice/</d:href></d:principal-URL>\
    <c:addressbook-home-set><d:href>/books/alice/</d:href><d:href>/books/shared/</d:href></c:addressbook-home-set>\
    </d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response></d:multistatus>
    """

  static let tokenError = """
    <?xml version="1.0" encoding="utf-8"?><D:error xmlns:D="DAV:"><D:valid-sync-token/></D:error>
    """

  static let all = [
    "radicaleBook": radicaleBook, "xandikosBook": xandikosBook, "sabreBook": sabreBook, "sabreCards": sabreCards,
    "radicaleCards": radicaleCards, "changes": changes, "xandikosMissing": xandikosMissing, "principal": principal,
    "tokenError": tokenError,
  ]
  static let names = all.keys.sorted()
}
