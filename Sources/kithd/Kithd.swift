@main
struct Kithd {
  static func main() {}
}
