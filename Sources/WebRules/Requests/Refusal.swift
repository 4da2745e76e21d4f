public import Bus
internal import Foundation
public import KithMessages
public import Pages
internal import SwiftProtobuf

/// An answer that is an error: the status of HTTP, and the failure that its body tells.
///
/// ```swift
/// throw Refusal(415, Failure(.invalidArgument, "CONTENT_TYPE_UNSUPPORTED", "Send application/json."))
/// ```
public struct Refusal: Error, Sendable, Hashable {
  /// The status code of HTTP.
  public let status: Int
  /// What happened, and what to do.
  public let failure: Failure
  /// Fields of the answer beside the usual ones, by name.
  public var fields: [String: String]

  /// Makes a refusal with a status of its own.
  public init(_ status: Int, _ failure: Failure, fields: [String: String] = [:]) {
    self.status = status
    self.failure = failure
    var fields = fields
    if failure.status.retryAfterMs > 0 {
      fields["Retry-After"] = "\((UInt64(failure.status.retryAfterMs) + 999) / 1000)"
    }
    if status == 401 { fields["WWW-Authenticate"] = "Bearer realm=\"kith\"" }
    self.fields = fields
  }

  /// Makes the answer to a failed command, with the status that the Connect protocol gives its code.
  public init(_ failure: Failure) {
    self.init(failure.code.httpStatus, failure)
  }

  /// The refusal with its sentence in a language.
  public func read(in language: PageLanguage) -> Refusal {
    Refusal(self.status, self.failure.read(in: language), fields: self.fields)
  }

  /// The body: an error of the Connect protocol in JSON, with the `Status` of the hub as its only detail.
  ///
  /// ```json
  /// {"code":"not_found","message":"…","details":[{"type":"kith.v1.Status","value":"CAUSD…","debug":{"reason":"RECORD_UNKNOWN"}}]}
  /// ```
  public var body: [UInt8] { Array(self.json.utf8) }

  /// ``body`` as text.
  public var json: String {
    let status = self.failure.status
    // Its JSON is what the object of the error does not say already.
    var rest = status
    rest.code = .ok
    rest.message = ""
    let bytes: [UInt8] = (try? status.serializedBytes()) ?? []
    let value = Data(bytes).base64EncodedString().prefix { $0 != "=" }
    let debug = (try? rest.jsonString()) ?? "{}"
    return """
      {"code":"\(status.code.connectName)","message":\(JSONText.quoted(status.message)),\
      "details":[{"type":"kith.v1.Status","value":"\(value)","debug":\(debug)}]}
      """
  }
}

extension Code {
  /// The name in errors of the Connect protocol.
  public var connectName: String {
    switch self {
    case .ok: "ok"
    case .cancelled: "canceled"
    case .unknown, .UNRECOGNIZED: "unknown"
    case .invalidArgument: "invalid_argument"
    case .deadlineExceeded: "deadline_exceeded"
    case .notFound: "not_found"
    case .alreadyExists: "already_exists"
    case .permissionDenied: "permission_denied"
    case .resourceExhausted: "resource_exhausted"
    case .failedPrecondition: "failed_precondition"
    case .aborted: "aborted"
    case .outOfRange: "out_of_range"
    case .unimplemented: "unimplemented"
    case .internal: "internal"
    case .unavailable: "unavailable"
    case .dataLoss: "data_loss"
    case .unauthenticated: "unauthenticated"
    }
  }

  /// The status of HTTP that the Connect protocol gives a unary answer with this code.
  public var httpStatus: Int {
    switch self {
    case .ok: 200
    case .invalidArgument, .failedPrecondition, .outOfRange: 400
    case .unauthenticated: 401
    case .permissionDenied: 403
    case .notFound: 404
    case .alreadyExists, .aborted: 409
    case .resourceExhausted: 429
    case .cancelled: 499
    case .unknown, .internal, .dataLoss, .UNRECOGNIZED: 500
    case .unimplemented: 501
    case .unavailable: 503
    case .deadlineExceeded: 504
    }
  }
}

/// JSON that is put together from parts.
public enum JSONText {
  /// A text as a string of JSON, in its quotation marks.
  public static func quoted(_ text: String) -> String {
    var out = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": out += "\\\""
      case "\\": out += "\\\\"
      case "\n": out += "\\n"
      case "\r": out += "\\r"
      case "\t": out += "\\t"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        out += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out + "\""
  }
}
