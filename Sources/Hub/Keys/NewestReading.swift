/// Numbers the readings of something that is stored, so that an older reading is never applied after a newer one: the newer one may know
/// that a key or a device was revoked. A pure value.
struct NewestReading: Sendable {
  private var begun = 0
  private var taken = 0

  /// The number of a reading that begins now.
  mutating func begin() -> Int {
    self.begun += 1
    return self.begun
  }

  /// Whether a reading may be applied: none that began later was.
  mutating func take(_ reading: Int) -> Bool {
    guard reading > self.taken else { return false }
    self.taken = reading
    return true
  }
}
