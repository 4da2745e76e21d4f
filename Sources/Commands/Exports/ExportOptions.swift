internal import ArgumentParser
internal import Bus
internal import KithMessages
internal import SwiftProtobuf

/// The form of an exported file.
enum ExportFormat: String, CaseIterable, ExpressibleByArgument {
  case csv
  case json
  case fhir
}

/// What `kith plan export` and `kith measure export` write, and where.
struct ExportOptions: ParsableArguments {
  @Option(name: .shortAndLong, help: OutputFile.help, completion: .file())
  var output: String

  @Option(help: "csv, json or fhir: a Bundle of FHIR R4.")
  var format = ExportFormat.csv

  @Option(help: "The first day.")
  var from: DaysArgument?

  @Option(help: "The last day.")
  var until: DaysArgument?

  @Flag(help: "Also what was taken back.")
  var deleted = false

  /// Writes the file.
  func write(_ bytes: [UInt8], _ session: Session) async throws {
    let file = try OutputFile(path: self.output)
    let printsReport = !file.isStandardOutput
    try file.write(bytes)
    try file.commit()
    guard printsReport else { return }
    let written = BlobRef.with { blob in
      blob.size = UInt64(bytes.count)
      blob.mediaType =
        switch self.format {
        case .csv: "text/csv; charset=utf-8"
        case .json: "application/json"
        case .fhir: "application/fhir+json"
        }
    }
    try await session.show(written, [session.written(written.size, to: self.output)])
  }

  /// A list of records as JSON, as they are on the wire.
  static func json(_ name: String, _ records: [some SwiftProtobuf.Message]) throws(Failure) -> [UInt8] {
    let lines = try records.map { record throws(Failure) in try Encoding.json.encode(record) }
    return Array("\"\(name)\":[\n".utf8) + Array(lines.joined(separator: Array(",\n".utf8))) + Array("\n]".utf8)
  }
}

extension Session {
  /// What is said of a file that was written.
  func written(_ size: UInt64, to path: String) -> String {
    self.language("Wrote \(Count.bytes(size)) to \(path).", "\(path) に書き出しました (\(Count.bytes(size)))。")
  }
}
