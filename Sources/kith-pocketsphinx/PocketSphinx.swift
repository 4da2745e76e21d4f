internal import CPocketSphinx

/// Transcribes one recording with PocketSphinx.
@main
struct PocketSphinx {
  static func main() {}
}
