/// Numbers for people, with their nouns and units.
enum Count {
  /// `1 contact`, `1,200 contacts`.
  static func of(_ number: Int, _ noun: String, plural: String? = nil) -> String {
    "\(self.grouped(number)) \(number == 1 ? noun : plural ?? noun + "s")"
  }

  /// With a comma before each three digits.
  static func grouped(_ number: Int) -> String {
    var text = ""
    for (index, digit) in String(number.magnitude).reversed().enumerated() {
      if index > 0, index.isMultiple(of: 3) { text = "," + text }
      text = String(digit) + text
    }
    return number < 0 ? "-" + text : text
  }

  /// `3.5`: one decimal, none if it is 0.
  static func decimal(_ number: Float) -> String {
    let tenths = Int((Double(number.isFinite ? number : 0) * 10).rounded())
    return tenths.isMultiple(of: 10) ? self.grouped(tenths / 10) : "\(self.grouped(tenths / 10)).\(abs(tenths % 10))"
  }

  /// `12.3 MB`, in steps of a thousand.
  static func bytes(_ count: UInt64) -> String {
    let units = ["kB", "MB", "GB", "TB"]
    guard count >= 1000 else { return "\(count) B" }
    var tenths = count / 100
    var unit = 0
    while tenths >= 10_000, unit < units.count - 1 {
      tenths /= 1000
      unit += 1
    }
    return "\(tenths / 10).\(tenths % 10) \(units[unit])"
  }
}
