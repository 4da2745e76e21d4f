internal import Bus
internal import KithMessages

/// What a person typed for a field of a message: the option, where it has another name than the field.
enum FieldOption {
  private static let options = [
    "called_at": "--at", "occurred_at": "--at", "happened_at": "--at", "written_at": "--at", "happened_on": "--on",
    "initial_date": "--on", "frequency": "--unit", "every": "--every", "in_days": "--in", "on": "--on",
    "duration_minutes": "--duration", "catch_up_minutes": "--catch-up", "keep_audio_hours": "--keep-audio",
    "time_zone": "--time-zone", "person_time": "--person-time", "postal_code": "--postal-code",
    "first_name": "<first-name>", "last_name": "--last-name", "middle_name": "--middle-name",
    "deceased_on": "--deceased-on", "food_preferences": "--food", "how_met": "--met", "from_day": "--from",
    "to_day": "--to", "person_id": "<person>", "contact_id": "<contact>", "secret_file": "--secret-file",
  ]

  /// The option for a field, which may be within another: `channel.secret_file`.
  static func name(_ field: String) -> String {
    let last = field.split(separator: ".").last.map(String.init) ?? field
    return self.options[last] ?? last.replacing("_", with: " ")
  }
}

extension Failure {
  /// The message in the words of the command line: options instead of fields, methods without their package.
  var typedMessage: String {
    var message = self.message
    if self.reason == "FIELD_INVALID", let field = self.status.details.keys.first, message.hasPrefix("\(field): ") {
      message = FieldOption.name(field) + message.dropFirst(field.count)
    }
    return message.replacing("kith.v1.", with: "")
  }
}
