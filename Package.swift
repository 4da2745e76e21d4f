// swift-tools-version: 6.2
import PackageDescription

/// What every target is compiled with. `scripts/check.sh` asks the compiler whether it knows each name, because an
/// unknown one is accepted in silence.
let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InferIsolatedConformances"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// For targets that touch C or raw memory: each unsafe expression is marked.
let memorySafe = strict + [.strictMemorySafety()]

/// A folder of Swift's static libraries in which ICU is a shared one, made by scripts/install.sh: the programs are then linked to one
/// copy of it in ../lib/kith. docs/decisions/0070-icu-is-one-file.md.
let sharedICU: [LinkerSetting] =
  Context.environment["KITH_SWIFT_STATIC"].map {
    [.unsafeFlags(["-resource-dir", $0, "-Xlinker", "-rpath=$ORIGIN/../lib/kith"], .when(configuration: .release))]
  } ?? []

/// A megabyte of relocations becomes some kilobytes, and the pages that they are read from at each start stay on the disk.
/// Only the linker of LLVM, which Swift brings along, can do it: glibc 2.36, ld.lld(1).
/// No program looks up symbols in these by name, which would keep three megabytes of names in each.
let linker = ["-z", "pack-relative-relocs", "--no-export-dynamic"].flatMap { ["-Xlinker", $0] }
let packed: [LinkerSetting] = [.unsafeFlags(["-use-ld=lld"] + linker, .when(configuration: .release))] + sharedICU

/// Which state of the sources this is, as scripts/version.sh says; given by the scripts that build for others.
let build = Context.environment["KITH_BUILD"] ?? ""

/// Whether kith-web is a part of the package. Its 19 packages of HTTP are fetched only then: docs/decisions/0055-one-door-for-http.md.
let hasWeb = Context.environment["KITH_WEB"] == "1"

let protobuf = Target.Dependency.product(name: "SwiftProtobuf", package: "swift-protobuf")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let signals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let metrics = Target.Dependency.product(name: "CoreMetrics", package: "swift-metrics")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let toml = Target.Dependency.product(name: "TOMLKit", package: "TOMLKit")

let package = Package(
  name: "kith",
  products: [
    .executable(name: "kithd", targets: ["kithd"]),
    .executable(name: "kith", targets: ["kith"]),
    .executable(name: "kith-report", targets: ["kith-report"]),
    .executable(name: "kith-programs", targets: ["kith-programs"]),
    .executable(name: "kith-pocketsphinx", targets: ["kith-pocketsphinx"]),
    .executable(name: "kith-homeassistant", targets: ["kith-homeassistant"]),
    .library(name: "KithClient", targets: ["KithClient"]),
    .library(name: "KithWorker", targets: ["KithWorker", "KithClient", "Bus", "KithMessages"]),
    .library(name: "VCard", targets: ["VCard"]),
    .library(name: "DAV", targets: ["DAV"]),
    .library(name: "Transcription", targets: ["Transcription"]),
    .library(name: "BusZeroMQ", targets: ["BusZeroMQ", "Bus", "KithMessages"]),
    .library(name: "ZeroMQ", targets: ["ZeroMQ"]),
    .library(name: "EventLoop", targets: ["EventLoop"]),
    .library(
      name: "KithHub",
      targets: [
        "Hub", "Backups", "Storage", "ContactsSync", "MonicaGateway", "MonicaAPI", "CareRecorder", "Transcription",
        "Reminders", "Delivery", "Bus", "BusZeroMQ", "KithMessages", "Digest", "Secrets", "CivilTime",
      ]),
  ],
  dependencies: [
    .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/LebJe/TOMLKit", from: "0.6.0"),
  ],
  targets: [
    .target(name: "CLinux"),
    .target(name: "CSystemd"),
    .target(name: "CPango"),
    .target(name: "CSQLite"),
    .target(name: "CTraffic"),
    .target(name: "CCertificates", dependencies: ["CCrypto"]),
    .target(name: "CBuild", cSettings: [.define("KITH_BUILD", to: build)]),
    .systemLibrary(name: "CZeroMQ", providers: [.apt(["libzmq3-dev"])]),
    .systemLibrary(name: "CCrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "CExpat", providers: [.apt(["libexpat1-dev"])]),
    .systemLibrary(name: "CMosquitto", pkgConfig: "libmosquitto", providers: [.apt(["libmosquitto-dev"])]),
    .systemLibrary(name: "CPocketSphinx", providers: [.apt(["libpocketsphinx-dev"])]),

    .target(name: "Digest", dependencies: ["CCrypto"], swiftSettings: memorySafe),
    .target(name: "EventLoop", dependencies: ["CLinux", logging], swiftSettings: memorySafe),
    .target(
      name: "ZeroMQ", dependencies: ["CZeroMQ", "CLinux", "CTraffic", "EventLoop", logging], swiftSettings: memorySafe),
    .target(name: "Instruments", dependencies: ["EventLoop", metrics], swiftSettings: strict),
    .target(name: "Daemon", dependencies: ["CLinux", logging], swiftSettings: strict),
    .target(name: "DAV", dependencies: ["CExpat", "CLinux", "EventLoop", "Transfer"], swiftSettings: memorySafe),
    .target(name: "Transfer", dependencies: ["CCurl", "CZlib", "Digest", "EventLoop"], swiftSettings: memorySafe),
    .target(name: "VCard", swiftSettings: memorySafe),
    .target(name: "CivilTime", swiftSettings: strict),
    .target(name: "KithMessages", dependencies: ["CivilTime", protobuf], swiftSettings: strict),
    .target(
      name: "Bus",
      dependencies: ["CBuild", "CLinux", "CivilTime", "KithMessages", "EventLoop", "Digest", protobuf, logging],
      swiftSettings: strict),
    .target(name: "Secrets", dependencies: ["Bus", "EventLoop", "KithMessages"], swiftSettings: memorySafe),
    .target(
      name: "Certificates", dependencies: ["Bus", "CCertificates", "Digest", "EventLoop", "KithMessages", "Secrets"],
      swiftSettings: memorySafe),
    .target(
      name: "BusZeroMQ",
      dependencies: [
        "Bus", "ZeroMQ", "EventLoop", "Instruments", "KithMessages", "CLinux", "Digest", protobuf, logging, metrics,
      ], swiftSettings: strict),
    .target(
      name: "Storage",
      dependencies: [
        "Bus", "CivilTime", "KithMessages", "EventLoop", "Instruments", "Digest", "CLinux", "CSQLite", protobuf,
        logging, grdb, metrics,
      ], swiftSettings: memorySafe),
    .target(
      name: "ContactsSync",
      dependencies: [
        "Bus", "KithMessages", "Storage", "Secrets", "DAV", "Transfer", "VCard", "Digest", "EventLoop", "CLinux",
        protobuf, logging,
      ], swiftSettings: memorySafe),
    .target(
      name: "MonicaAPI",
      dependencies: ["Bus", "CivilTime", "KithMessages", "Secrets", "Transfer", "EventLoop", protobuf, logging],
      swiftSettings: strict),
    .target(name: "Fields", dependencies: ["Bus", "CivilTime", "KithMessages", protobuf], swiftSettings: strict),
    .target(
      name: "Typesetter", dependencies: ["Bus", "EventLoop", "KithMessages", "Storage", protobuf, logging],
      swiftSettings: strict),
    .target(
      name: "CareTally", dependencies: ["Bus", "CivilTime", "Fields", "KithMessages", protobuf], swiftSettings: strict),
    .target(
      name: "CarePlan",
      dependencies: [
        "Bus", "CareTally", "CivilTime", "EventLoop", "Fields", "KithMessages", "Spoken", "Storage", protobuf, logging,
      ],
      swiftSettings: strict),
    .target(
      name: "MonicaGateway",
      dependencies: [
        "Bus", "CivilTime", "Fields", "KithMessages", "Storage", "Secrets", "EventLoop", "CLinux", "Typesetter",
        protobuf, logging,
      ], swiftSettings: strict),
    .target(
      name: "CareRecorder",
      dependencies: [
        "Bus", "CarePlan", "CareTally", "CivilTime", "Fields", "KithMessages", "Spoken", "Storage", "EventLoop",
        "Digest", "CLinux", "Typesetter", protobuf, logging,
      ], swiftSettings: strict),
    .target(name: "Spoken", dependencies: ["CivilTime", "KithMessages"], swiftSettings: strict),
    .target(
      name: "Transcription",
      dependencies: ["Bus", "KithMessages", "Transfer", "EventLoop", "Wyoming", "CLinux", protobuf, logging],
      swiftSettings: memorySafe),
    .target(
      name: "Delivery",
      dependencies: ["Bus", "CSystemd", "Digest", "KithMessages", "Secrets", "Transfer", "EventLoop", protobuf],
      swiftSettings: memorySafe),
    .target(
      name: "Reminders",
      dependencies: [
        "Bus", "CarePlan", "CivilTime", "Digest", "KithMessages", "Storage", "Secrets", "EventLoop", protobuf, logging,
      ], swiftSettings: strict),
    .target(
      name: "Backups",
      dependencies: [
        "Bus", "CivilTime", "Digest", "EventLoop", "KithMessages", "Secrets", "Storage", protobuf, logging,
      ], swiftSettings: strict),
    .target(
      name: "Hub",
      dependencies: [
        "Backups", "Bus", "BusZeroMQ", "CarePlan", "CareRecorder", "ContactsSync", "Daemon", "Delivery", "Digest",
        "EventLoop", "Instruments", "KithMessages", "KithWorker", "MonicaAPI", "MonicaGateway", "Reminders",
        "Secrets", "Storage", "Transcription", "Transfer", "KithClient", "ZeroMQ", "CLinux", lifecycle, signals,
        logging, metrics, protobuf, toml,
      ], swiftSettings: strict),
    .target(
      name: "KithClient",
      dependencies: [
        "Bus", "BusZeroMQ", "EventLoop", "KithMessages", "Secrets", "ZeroMQ", "Digest", protobuf, logging,
      ], swiftSettings: strict),
    .target(
      name: "Commands",
      dependencies: [
        "Assistants", "CLinux", "Help", "KithClient", "CivilTime", "KithMessages", "Bus", "FailureWords", "Findings",
        "Digest", "QR", "Secrets", protobuf, arguments, logging,
      ], swiftSettings: strict),
    .target(name: "QR", swiftSettings: strict),
    .target(name: "FailureWords", dependencies: ["Bus", "KithMessages"], swiftSettings: strict),
    .target(name: "Findings", dependencies: ["Bus", "KithMessages", protobuf], swiftSettings: strict),
    .target(
      name: "Pages", dependencies: ["Bus", "CivilTime", "FailureWords", "Findings", "KithMessages", "QR", protobuf],
      swiftSettings: strict),
    .target(
      name: "WebRules", dependencies: ["Pages", "Bus", "KithMessages", "Digest", protobuf], swiftSettings: strict),
    .target(
      name: "Assistants", dependencies: ["Bus", "CivilTime", "Digest", "KithMessages", protobuf], swiftSettings: strict),
    .target(
      name: "TestKit", dependencies: ["KithMessages", "Bus", "EventLoop", protobuf], path: "Sources/TestKit",
      swiftSettings: strict),

    .target(
      name: "KithWorker",
      dependencies: ["Bus", "BusZeroMQ", "EventLoop", "KithClient", "KithMessages", "ZeroMQ", logging],
      swiftSettings: strict),

    .target(
      name: "DaemonCommands", dependencies: ["Bus", "Daemon", "FailureWords", "Help", "Hub", arguments],
      swiftSettings: strict),
    .target(name: "HelpTexts", exclude: ["ja.po"]),
    .target(name: "Help", dependencies: ["Bus", "HelpTexts", "KithMessages", arguments], swiftSettings: strict),
    .target(
      name: "Report", dependencies: ["Bus", "CPango", "CareTally", "CivilTime", "KithMessages", protobuf],
      swiftSettings: memorySafe),

    .executableTarget(name: "kithd", dependencies: ["DaemonCommands"], swiftSettings: strict, linkerSettings: packed),
    .executableTarget(
      name: "kith-programs", dependencies: ["Commands", "DaemonCommands", "Report"], swiftSettings: strict,
      linkerSettings: packed),
    .executableTarget(name: "kith", dependencies: ["Commands"], swiftSettings: strict),
    .executableTarget(
      name: "kith-pocketsphinx", dependencies: ["CPocketSphinx"], exclude: ["model"],
      // By hand, because pkg-config also names the library for microphones, which brings the whole of PulseAudio along.
      swiftSettings: memorySafe + [.unsafeFlags(["-Xcc", "-I/usr/include/pocketsphinx"])]),
    .target(name: "MQTT", dependencies: ["CMosquitto", "EventLoop", "Bus"], swiftSettings: memorySafe),
    .target(name: "Wyoming", dependencies: ["Bus", "CLinux", "EventLoop", logging], swiftSettings: memorySafe),
    .target(
      name: "HomeAssistant",
      dependencies: [
        "MQTT", "Wyoming", "Spoken", "FailureWords", "Findings", "KithClient", "KithMessages", "CivilTime", "Bus",
        "Daemon", "Digest", "EventLoop", "Secrets", protobuf, signals, logging,
      ], swiftSettings: strict),
    .executableTarget(
      name: "kith-homeassistant", dependencies: ["HomeAssistant", "Help", "Wyoming", "Bus", arguments],
      swiftSettings: strict, linkerSettings: packed),
    .executableTarget(name: "kith-report", dependencies: ["Report"], swiftSettings: strict),
    .executableTarget(
      name: "protoc-gen-kith",
      dependencies: [protobuf, .product(name: "SwiftProtobufPluginLibrary", package: "swift-protobuf")],
      swiftSettings: strict),

    .testTarget(
      name: "BackupsTests",
      dependencies: ["Backups", "Bus", "CivilTime", "EventLoop", "KithMessages", "Storage", "TestKit", logging],
      swiftSettings: strict),
    .testTarget(
      name: "EventLoopTests", dependencies: ["EventLoop", "CLinux", "TestKit", logging], swiftSettings: strict),
    .testTarget(name: "ZeroMQTests", dependencies: ["ZeroMQ", "EventLoop", "CLinux", logging], swiftSettings: strict),
    .testTarget(name: "InstrumentsTests", dependencies: ["Instruments", metrics], swiftSettings: strict),
    .testTarget(
      name: "TransferTests", dependencies: ["Transfer", "EventLoop", "TestKit", logging], swiftSettings: strict),
    .testTarget(
      name: "DAVTests", dependencies: ["DAV", "Transfer", "EventLoop", "TestKit", logging], swiftSettings: strict),
    .testTarget(name: "VCardTests", dependencies: ["VCard", "Digest", "TestKit"], swiftSettings: strict),
    .testTarget(name: "KithMessagesTests", dependencies: ["KithMessages", protobuf], swiftSettings: strict),
    .testTarget(
      name: "BusTests",
      dependencies: [
        "Bus", "BusZeroMQ", "CivilTime", "Digest", "KithMessages", "ZeroMQ", "EventLoop", "TestKit", protobuf,
        logging,
      ], swiftSettings: strict),
    .testTarget(
      name: "BusZeroMQTests",
      dependencies: [
        "BusZeroMQ", "Bus", "KithMessages", "EventLoop", "Instruments", "ZeroMQ", "TestKit", protobuf, logging,
      ], swiftSettings: strict),
    .testTarget(
      name: "CertificatesTests", dependencies: ["Certificates", "Bus", "KithMessages", "TestKit"],
      swiftSettings: strict),
    .testTarget(
      name: "SecretsTests", dependencies: ["Secrets", "Bus", "KithMessages", "TestKit"], swiftSettings: strict),
    .testTarget(
      name: "StorageTests",
      dependencies: [
        "Storage", "Bus", "EventLoop", "Instruments", "KithMessages", "Digest", "TestKit", protobuf, grdb, logging,
      ], swiftSettings: strict),
    .testTarget(
      name: "ContactsSyncTests",
      dependencies: [
        "ContactsSync", "FailureWords", "Storage", "Secrets", "VCard", "Bus", "KithMessages", "EventLoop", "Digest",
        "TestKit", protobuf, logging,
      ], swiftSettings: strict),
    .testTarget(
      name: "MonicaAPITests",
      dependencies: [
        "MonicaAPI", "Bus", "KithMessages", "Secrets", "Transfer", "EventLoop", "TestKit", protobuf, logging,
      ], swiftSettings: strict),
    .testTarget(
      name: "MonicaGatewayTests",
      dependencies: [
        "MonicaGateway", "CivilTime", "Fields", "Storage", "Secrets", "Bus", "KithMessages", "EventLoop", "Digest",
        "TestKit", protobuf, logging,
      ], swiftSettings: strict),
    .testTarget(name: "QRTests", dependencies: ["QR"], swiftSettings: strict),
    .testTarget(name: "CivilTimeTests", dependencies: ["CivilTime", "TestKit"], swiftSettings: strict),
    .testTarget(
      name: "CareRecorderTests",
      dependencies: [
        "CareRecorder", "CareTally", "CivilTime", "Storage", "Bus", "KithMessages", "EventLoop", "Digest", "TestKit",
        protobuf, logging,
      ], swiftSettings: strict),
    .testTarget(
      name: "TranscriptionTests",
      dependencies: [
        "Transcription", "Transfer", "Wyoming", "Bus", "KithMessages", "EventLoop", "TestKit", protobuf, logging,
      ], swiftSettings: strict),
    .testTarget(
      name: "DeliveryTests",
      dependencies: [
        "Delivery", "Bus", "KithMessages", "Secrets", "Transfer", "EventLoop", "TestKit", protobuf, logging,
      ], swiftSettings: strict),
    .testTarget(
      name: "RemindersTests",
      dependencies: [
        "Reminders", "CarePlan", "Secrets", "CivilTime", "Digest", "Storage", "Bus", "KithMessages", "EventLoop",
        "TestKit",
        protobuf, logging,
      ], swiftSettings: strict),
    .testTarget(
      name: "CarePlanTests",
      dependencies: [
        "CarePlan", "CivilTime", "Fields", "Spoken", "Storage", "Bus", "KithMessages", "TestKit", protobuf, logging,
      ], swiftSettings: strict),
    .testTarget(
      name: "PagesTests", dependencies: ["Pages", "Bus", "CivilTime", "KithMessages", protobuf], swiftSettings: strict),
    .testTarget(
      name: "AssistantsTests", dependencies: ["Assistants", "Bus", "EventLoop", "KithMessages", "TestKit", protobuf],
      swiftSettings: strict),
    .testTarget(
      name: "WebRulesTests", dependencies: ["WebRules", "Pages", "Bus", "KithMessages", "Digest", protobuf],
      swiftSettings: strict),
    .testTarget(
      name: "HomeAssistantTests", dependencies: ["HomeAssistant", "MQTT", "KithMessages", "Bus", protobuf],
      swiftSettings: strict),
    .testTarget(
      name: "SpokenTests", dependencies: ["Spoken", "CivilTime", "KithMessages", "TestKit"], swiftSettings: strict),
    .testTarget(
      name: "WyomingTests", dependencies: ["Wyoming", "Bus", "KithMessages", "TestKit"], swiftSettings: strict),
    .testTarget(
      name: "HubTests",
      dependencies: [
        "Backups", "CivilTime", "Hub", "Bus", "BusZeroMQ", "EventLoop", "Instruments", "KithMessages", "TestKit",
        "ZeroMQ", protobuf, logging,
      ], swiftSettings: strict),
    .testTarget(
      name: "PortContractTests",
      dependencies: [
        "Hub", "KithClient", "Bus", "BusZeroMQ", "Storage", "ZeroMQ", "EventLoop", "KithMessages", "TestKit",
        protobuf, logging,
      ], swiftSettings: strict),
    .testTarget(
      name: "CommandsTests",
      dependencies: [
        "Commands", "DaemonCommands", "Help", "CivilTime", "KithClient", "KithMessages", "Bus", "Digest", "EventLoop",
        "FailureWords", "Fields", "QR", "TestKit", protobuf, arguments,
      ], swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)

// No other target depends on these, so that kithd and its tests fetch and build no server of HTTP.
if hasWeb {
  package.products.append(.executable(name: "kith-web", targets: ["kith-web"]))
  package.dependencies += [
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
  ]
  package.targets += [
    .target(
      name: "Web",
      dependencies: [
        "Assistants", "WebRules", "Pages", "WebFiles", "Certificates", "Findings", "KithClient", "KithMessages", "Bus",
        "CivilTime", "Daemon", "Digest",
        "EventLoop", "Instruments", "CZlib",
        protobuf, logging, metrics, lifecycle, signals,
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HummingbirdHTTP2", package: "hummingbird"),
        .product(name: "HummingbirdTLS", package: "hummingbird"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "NIOTLS", package: "swift-nio"),
      ], swiftSettings: strict),
    .target(name: "WebFiles"),
    .executableTarget(
      name: "kith-web", dependencies: ["Web", "WebRules", "Help", "Bus", arguments], swiftSettings: strict,
      linkerSettings: packed),
  ]
}
