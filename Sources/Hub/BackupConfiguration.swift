internal import Backups
internal import Bus
internal import CivilTime
internal import TOMLKit

/// The section `[backup]`:
///
/// ```toml
/// [backup]
/// folder = "/srv/backup/kith"      # without it, no backups are made
/// at = "03:30"
/// keep_days = 7
/// keep_weeks = 4
/// keep_months = 12
/// secrets = true                   # passwords, tokens and keys too; needs one of the next two
/// passphrase_file = "/etc/kith/backup.passphrase"
/// recipients_file = "/etc/kith/backup.recipients"    # instead: public keys of age
/// worker = "attic"                 # a worker that keeps each one too; in its own file, folder is where
/// command = ["/usr/local/bin/copy-backup"]   # gets the path of each one
/// ```
struct BackupConfiguration: Sendable, Hashable {
  /// Nil without a folder.
  var plan: BackupPlan? { self.values.folder.isEmpty ? nil : self.values }

  /// What is wrong with the keys together; nil if nothing is.
  var fault: String? {
    guard self.values.hasSecrets, self.values.cipher == nil else { return nil }
    return
      "backup.secrets needs backup.passphrase_file or backup.recipients_file: without one of them the folder has your passwords and keys in a form that anybody can read"
  }

  /// The worker that a service runs on alone.
  var pinned: [String: String] { self.plan?.worker.map { [PlaceableService.archive.name: $0] } ?? [:] }

  private var values = BackupPlan(folder: "")

  /// Sets a key.
  ///
  /// - Parameter key: Without its section.
  /// - Returns: What is wrong with it; nil if nothing is.
  mutating func set(_ key: String, _ value: (any TOMLValueConvertible)?) -> String? {
    switch key {
    case "folder": return Self.path(value, key) { self.values.folder = $0 }
    case "passphrase_file", "recipients_file":
      guard self.values.cipher == nil else {
        return "backup.passphrase_file and backup.recipients_file exclude each other: remove one"
      }
      return Self.path(value, key) {
        self.values.cipher = key == "passphrase_file" ? .passphrase(file: $0) : .recipients(file: $0)
      }
    case "at":
      guard let time = value?.string.flatMap({ TimeOfDay($0) }) else {
        return "backup.at has to be a time of day such as \"03:30\""
      }
      self.values.at = time
    case "keep_days": return Self.count(value, key) { self.values.keptDays = $0 }
    case "keep_weeks": return Self.count(value, key) { self.values.keptWeeks = $0 }
    case "keep_months": return Self.count(value, key) { self.values.keptMonths = $0 }
    case "secrets":
      guard let isWanted = value?.bool else { return "backup.secrets has to be true or false" }
      self.values.hasSecrets = isWanted
    case "worker":
      guard let name = value?.string, (try? GivenName.check(name, field: key)) != nil else {
        return "backup.worker has to be the name of a worker: a-z, 0-9 and -"
      }
      self.values.worker = name
    case "command":
      let words = value?.array?.compactMap { $0.string } ?? []
      guard value?.array?.count == words.count, words.first?.hasPrefix("/") == true else {
        return
          "backup.command has to be a program's absolute path and its arguments, such as [\"/usr/local/bin/copy-backup\"]"
      }
      self.values.command = words
    default: return "'backup.\(key)' is not a key of the configuration; docs/operations.md lists them"
    }
    return nil
  }

  private static func path(
    _ value: (any TOMLValueConvertible)?, _ key: String, _ set: (String) -> Void
  ) -> String? {
    guard let path = value?.string, path.hasPrefix("/"), path.count > 1 else {
      return "backup.\(key) has to be an absolute path"
    }
    set(path.hasSuffix("/") ? String(path.dropLast()) : path)
    return nil
  }

  private static func count(_ value: (any TOMLValueConvertible)?, _ key: String, _ set: (Int) -> Void) -> String? {
    guard let count = value?.int, (0...1000).contains(count) else {
      return "backup.\(key) has to be between 0 and 1000"
    }
    set(count)
    return nil
  }
}
