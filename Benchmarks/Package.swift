// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let hub = Target.Dependency.product(name: "KithHub", package: "kith")
let vcard = Target.Dependency.product(name: "VCard", package: "kith")
let client = Target.Dependency.product(name: "KithClient", package: "kith")
let zeroMQ = Target.Dependency.product(name: "ZeroMQ", package: "kith")
let eventLoop = Target.Dependency.product(name: "EventLoop", package: "kith")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let sqlite = Target.Dependency.product(name: "GRDBSQLite", package: "GRDB.swift")
let protobuf = Target.Dependency.product(name: "SwiftProtobuf", package: "swift-protobuf")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")

let package = Package(
  name: "kith-benchmarks",
  dependencies: [
    .package(name: "kith", path: ".."),
    .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
  ],
  targets: [
    .executableTarget(
      name: "transport-bench", dependencies: [zeroMQ, eventLoop, logging], swiftSettings: settings),
    .executableTarget(name: "vcard-bench", dependencies: [vcard], swiftSettings: settings),
    .executableTarget(name: "folder-bench", dependencies: [hub, logging], swiftSettings: settings),
    .executableTarget(name: "storage-bench", dependencies: [hub, grdb, sqlite, logging], swiftSettings: settings),
    .target(name: "Measuring", swiftSettings: settings),
    .executableTarget(
      name: "contacts-bench", dependencies: ["Measuring", hub, protobuf, logging], swiftSettings: settings),
    .executableTarget(
      name: "records-bench", dependencies: ["Measuring", hub, protobuf, logging], swiftSettings: settings),
    .executableTarget(name: "care-bench", dependencies: ["Measuring", hub, protobuf], swiftSettings: settings),
    .executableTarget(
      name: "hub-bench", dependencies: [hub, client, zeroMQ, eventLoop, protobuf, logging], swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)

// What it fetches is fetched for the door alone.
if Context.environment["KITH_WEB"] == "1" {
  package.dependencies += [
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
  ]
  package.targets.append(
    .executableTarget(
      name: "door-floor",
      dependencies: [
        client, logging, .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "NIOCore", package: "swift-nio"),
      ], swiftSettings: settings))
}
