@main
struct Kith {
  static func main() {}
}
