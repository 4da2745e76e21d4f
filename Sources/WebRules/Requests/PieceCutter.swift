/// Cuts a body that arrives in pieces of any size into pieces of one size, so that a body that is sent again is cut the same way.
///
/// ```swift
/// var cutter = PieceCutter(size: 4)
/// cutter.take([1, 2, 3, 4, 5])  // [(0, [1, 2, 3, 4])]
/// cutter.rest                   // (4, [5])
/// ```
public struct PieceCutter: Sendable {
  /// A piece, and where it begins.
  public typealias Piece = (offset: UInt64, bytes: [UInt8])

  private let size: Int
  private var offset: UInt64 = 0
  private var held: [UInt8] = []

  /// Makes a cutter.
  ///
  /// - Parameter size: The bytes of a piece.
  public init(size: Int) { self.size = size }

  /// The bytes that were taken in all.
  public var count: UInt64 { self.offset + UInt64(self.held.count) }

  /// Takes bytes; returns the pieces that are whole now.
  public mutating func take(_ bytes: some Collection<UInt8>) -> [Piece] {
    self.held += bytes
    var pieces: [Piece] = []
    var start = 0
    while self.held.count - start >= self.size {
      pieces.append((self.offset, Array(self.held[start..<start + self.size])))
      start += self.size
      self.offset += UInt64(self.size)
    }
    self.held.removeFirst(start)
    return pieces
  }

  /// The last piece, which may be shorter; nil if nothing is left.
  public var rest: Piece? { self.held.isEmpty ? nil : (self.offset, self.held) }
}
