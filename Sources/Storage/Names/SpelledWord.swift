/// A word made ready to be compared with many others.
///
/// All letters of the word are compared with one of the other at once, a bit each: Hyyrö, "A bit-vector algorithm for computing
/// Levenshtein and Damerau edit distances", 2003.
struct SpelledWord {
  let letters: [Unicode.Scalar]
  /// For each letter of ASCII the places that have it, a bit each.
  private var places = [UInt64](repeating: 0, count: 128)
  private var otherPlaces: [Unicode.Scalar: UInt64] = [:]

  /// Of words of more than 64 letters the first 64 count.
  init(_ word: some Sequence<Unicode.Scalar>) {
    self.letters = Array(word.prefix(64))
    for (place, letter) in self.letters.enumerated() {
      if letter.isASCII {
        self.places[Int(letter.value)] |= 1 << UInt64(place)
      } else {
        self.otherPlaces[letter, default: 0] |= 1 << UInt64(place)
      }
    }
  }

  /// Letters to change, add, leave out or swap with their neighbour to make one word the other; nil when more than `limit`.
  func distance(to other: String, limit: Int) -> Int? {
    guard let last = UInt64(exactly: self.letters.count - 1) else {
      let count = other.unicodeScalars.count
      return count <= limit ? count : nil
    }
    var distance = self.letters.count
    // In the row of a letter: where the distance grows, falls, or stays diagonally.
    var (grows, falls, stays) = (UInt64.max, UInt64(0), UInt64(0))
    var placesBefore: UInt64 = 0
    var count = 0
    for letter in other.unicodeScalars {
      count += 1
      guard count <= self.letters.count + limit else { return nil }
      let places = letter.isASCII ? self.places[Int(letter.value)] : self.otherPlaces[letter] ?? 0
      let swapped = ((~stays & places) << 1) & placesBefore
      stays = (((places & grows) &+ grows) ^ grows) | places | falls | swapped
      var higher = falls | ~(stays | grows)
      var lower = stays & grows
      distance += Int((higher >> last) & 1) - Int((lower >> last) & 1)
      higher = (higher << 1) | 1
      lower <<= 1
      grows = lower | ~(stays | higher)
      falls = higher & stays
      placesBefore = places
    }
    return distance <= limit ? distance : nil
  }
}
