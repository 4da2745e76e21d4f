public import Bus
internal import CivilTime
public import KithMessages

/// A file of calls, contacts or entries of care, or a report of care for a doctor, to be downloaded: the hub writes it, the page links to it.
public struct ExportPage: Page {
  private let what: String
  private let format: String
  private let source: String
  private let calls: CallSelection

  /// Makes the page of a query: `what` is calls, contacts, care or report, `format` one of its formats.
  init(_ query: (String) -> String?) {
    self.what = query("what") ?? ""
    self.format = query("format") ?? ""
    self.source = query("source") ?? ""
    self.calls = CallSelection(query)
  }

  /// Has the file written.
  public func show(_ view: PageView, _ hub: some Port) async throws(Failure) -> Shown {
    let blob: BlobRef
    switch self.what {
    case "calls":
      var request = ExportCallsRequest()
      request.format = self.format
      request.filter = self.calls.filter(view.zone)
      request.timeZone = view.zone.name
      request.language = view.language.rawValue
      blob = try await hub.ask(request)
    case "contacts":
      var request = ExportContactsRequest()
      request.format = self.format
      request.source = self.source
      blob = try await hub.ask(request)
    case "care":
      var request = ExportCareRequest()
      request.format = self.format
      request.fromDay = self.calls["from"]
      request.toDay = self.calls["to"]
      blob = try await hub.ask(request)
    case "report":
      var request = CareReportRequest()
      request.from = self.calls["from"]
      request.until = self.calls["to"]
      request.language = view.language.rawValue
      blob = try await hub.ask(request)
    default: throw .invalid(field: "what", "has to be calls, contacts, care or report.")
    }
    return FilePage(blob, of: self.what).show(view)
  }
}

/// A file that the hub has written: an export, or the answer to the form that makes a backup.
public struct FilePage: Sendable {
  private let blob: BlobRef
  private let what: String

  /// Makes the page.
  ///
  /// - Parameter what: What is in the file; a part of its name.
  public init(_ blob: BlobRef, of what: String) {
    self.blob = blob
    self.what = what
  }

  private var ending: String {
    switch self.blob.mediaType.prefix(while: { $0 != ";" }) {
    case "text/csv": "csv"
    case "application/json": "json"
    case "application/pdf": "pdf"
    case "text/vcard": "vcf"
    default: "db"
    }
  }

  /// Shows the link to the file.
  public func show(_ view: PageView) -> Shown {
    let name = "\(self.what)-\(view.today.description).\(self.ending)"
    return Shown(
      view[.yourFile], in: .more, follows: [],
      """
      <section class="card"><p><a class="button" href="/blobs/\(self.blob.sha256)?file=1" download="\(name)" data-test="file">\
      \(view[.download, ["name": name]])</a></p>\
      <p>\(view[.fileHelp, ["size": "\((self.blob.size + 1023) / 1024)"]])</p></section>
      """)
  }
}

extension Text {
  fileprivate static let yourFile = Text("File", "ファイル")
  fileprivate static let download = Text("Download {name}", "{name}をダウンロード")
  fileprivate static let fileHelp = Text(
    "{size} KB. The house keeps it for a day.", "{size} KB。家のKithに1日だけ保存されます。")
}
