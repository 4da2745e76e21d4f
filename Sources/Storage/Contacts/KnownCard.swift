/// What is stored of a card, without its text: what a pass compares a listing with.
public struct KnownCard: Sendable, Hashable {
  /// File name or URL path; with the source, the card's identity.
  public var href: String
  /// Changes when the card may have changed.
  public var fingerprint: String
  /// Of the card with its picture replaced by its digest: 32 bytes, other ones when the card's bytes are others.
  public var rawSHA256: [UInt8]
  /// Of what the card says; empty when it could never be read.
  public var semanticDigest: [UInt8]
  /// The contact made of it; empty when it could never be read.
  public var contactID: String
  /// The card's own identifier; may be empty or stand in several cards.
  public var uid: String
  /// Whether its contact is deleted.
  public var isDeleted: Bool
  /// When a listing first lacked it, in nanoseconds since 1970; 0 = it was there.
  public var missingSince: Int64
  /// In how many whole listings in a row it was missing, of those that count towards its release.
  public var missingPasses: Int
  /// When the last of ``missingPasses`` was, in nanoseconds since 1970; 0 = none was yet.
  public var countedAt: Int64
  /// Whether its contact was restored by hand, and so stays while the card is away.
  public var isKept: Bool

  /// Makes a description of one.
  public init(
    href: String, fingerprint: String, rawSHA256: [UInt8], semanticDigest: [UInt8], contactID: String, uid: String,
    isDeleted: Bool = false, missingSince: Int64 = 0, missingPasses: Int = 0, countedAt: Int64 = 0,
    isKept: Bool = false
  ) {
    self.href = href
    self.fingerprint = fingerprint
    self.rawSHA256 = rawSHA256
    self.semanticDigest = semanticDigest
    self.contactID = contactID
    self.uid = uid
    self.isDeleted = isDeleted
    self.missingSince = missingSince
    self.missingPasses = missingPasses
    self.countedAt = countedAt
    self.isKept = isKept
  }
}
