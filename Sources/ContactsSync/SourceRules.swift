internal import Bus
internal import KithMessages

/// What the name and the place of a source must be.
enum SourceRules {
  /// The source that a request describes.
  ///
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID` naming the field; `UNIMPLEMENTED` for a CardDAV account.
  static func source(_ request: AddSourceRequest) throws(Failure) -> Source {
    var source = Source()
    source.name = try Self.name(request.name)
    switch request.kind {
    case .vdir(let vdir)?: source.vdir.path = try Self.path(vdir.path, field: "vdir.path")
    case .vcf(let vcf)?: source.vcf.path = try Self.path(vcf.path, field: "vcf.path")
    case .carddav?: throw SourceFault.carddav
    case nil: throw SourceFault.kindMissing
    }
    return source
  }

  private static func name(_ name: String) throws(Failure) -> String {
    let isPlain = name.utf8.allSatisfy {
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        || $0 == UInt8(ascii: "-")
    }
    guard isPlain, (1...32).contains(name.utf8.count), !name.hasPrefix("-") else {
      throw .invalid(field: "name", "must be 1 to 32 of a-z, 0-9 and '-', and not begin with '-'.")
    }
    return name
  }

  /// A path without slashes at its end.
  private static func path(_ path: String, field: String) throws(Failure) -> String {
    guard path.hasPrefix("/"), !path.utf8.contains(0), path.utf8.count < 4096 else {
      throw .invalid(field: field, "must be an absolute path on the hub's disk.")
    }
    let end = path.lastIndex { $0 != "/" }
    guard let end else { throw .invalid(field: field, "must not be the root of the file system.") }
    return String(path[...end])
  }
}
