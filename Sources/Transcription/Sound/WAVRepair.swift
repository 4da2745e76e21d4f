internal import Glibc

/// Makes a recording whole whose recorder was killed: the sizes in its header.
public enum WAVRepair {
  /// Writes what is missing into the header of a file, in place, and waits until it is on the disk. Nothing is written when
  /// the header is right.
  ///
  /// - Returns: The layout of the file.
  /// - Throws: `SoundFault.wav` when it is no WAV, `storage` when it cannot be read or written, `tooLarge`.
  @discardableResult
  public static func repair(path: String) throws(SoundFault) -> WAVReader {
    let file = try SoundFile(path: path, flags: O_RDWR)
    let layout = try WAVReader(sound: try file.read())
    guard !layout.repairs.isEmpty else { return layout }
    for repair in layout.repairs {
      try file.write((0..<4).map { UInt8(truncatingIfNeeded: repair.value >> (8 * $0)) }, at: repair.offset)
    }
    try file.sync()
    return layout
  }
}
