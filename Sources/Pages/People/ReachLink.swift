internal import KithMessages

extension ReachLink {
  /// The map of a postal address: at its place if it is known, else found by its words; nil if it has neither.
  init?(_ address: PersonAddress) {
    let (latitude, longitude) = (address.latitude, address.longitude)
    if Double(latitude) != nil, Double(longitude) != nil {
      self.init(to: "https://www.openstreetmap.org/?mlat=\(latitude)&mlon=\(longitude)#map=17/\(latitude)/\(longitude)")
    } else if !address.words.isEmpty {
      self.init(to: "https://www.openstreetmap.org/search?query=\(AddressText.encoded(address.words))")
    } else {
      return nil
    }
  }

  /// A text as the link; the text alone if there is none.
  static func html(_ link: ReachLink?, _ text: String) -> HTML {
    guard let link else { return "\(text)" }
    return "<a href=\"\(link.address)\" rel=\"noreferrer\">\(text)</a>"
  }
}

extension PersonAddress {
  /// The address in one line.
  var words: String {
    [self.street, self.city, self.province, self.postalCode, self.country].filter { !$0.isEmpty }.joined(
      separator: ", ")
  }
}
