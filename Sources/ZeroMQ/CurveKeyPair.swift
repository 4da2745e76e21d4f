internal import CZeroMQ

/// A CURVE public key and its secret. zmq_curve_keypair(3).
public struct CurveKeyPair: Hashable, Sendable {
  /// To be given to others.
  public let publicKey: CurveKey
  /// To be kept.
  public let secretKey: CurveKey

  /// Makes a new random pair.
  ///
  /// - Throws: `ZMQError` when libzmq was built without CURVE.
  public static func random() throws(ZMQError) -> CurveKeyPair {
    var publicText = [CChar](repeating: 0, count: 41)
    var secretText = publicText
    // Both have room for 40 characters and the final NUL, as the function asks for.
    guard unsafe zmq_curve_keypair(&publicText, &secretText) == 0 else { throw ZMQError("zmq_curve_keypair") }
    guard let publicKey = CurveKey(z85: text(publicText)), let secretKey = CurveKey(z85: text(secretText)) else {
      throw ZMQError(code: .invalidArgument, "zmq_curve_keypair")
    }
    return CurveKeyPair(publicKey: publicKey, secretKey: secretKey)
  }

  /// Takes a secret key and finds its public one. zmq_curve_public(3).
  ///
  /// - Throws: `ZMQError` when libzmq was built without CURVE.
  public init(secretKey: CurveKey) throws(ZMQError) {
    var publicText = [CChar](repeating: 0, count: 41)
    // Room for 40 characters and the final NUL; the secret is passed with its NUL.
    guard unsafe zmq_curve_public(&publicText, secretKey.z85) == 0,
      let publicKey = CurveKey(z85: Self.text(publicText))
    else { throw ZMQError("zmq_curve_public") }
    self.init(publicKey: publicKey, secretKey: secretKey)
  }

  private init(publicKey: CurveKey, secretKey: CurveKey) {
    self.publicKey = publicKey
    self.secretKey = secretKey
  }

  private static func text(_ characters: [CChar]) -> String {
    String(decoding: characters.prefix(40).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
