// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .strictMemorySafety(),
]

let package = Package(
  name: "kith-fuzz",
  dependencies: [
    .package(name: "kith", path: ".."),
    .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
  ],
  targets: [
    .target(name: "CFuzzer"),
    .executableTarget(
      name: "kith-fuzz",
      dependencies: [
        "CFuzzer",
        .product(name: "VCard", package: "kith"),
        .product(name: "DAV", package: "kith"),
        .product(name: "Transcription", package: "kith"),
        .product(name: "BusZeroMQ", package: "kith"),
        .product(name: "SwiftProtobuf", package: "swift-protobuf"),
      ],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
