import Foundation
import KithMessages
import TestKit
import Testing

/// Random edits of folders, each followed by a pass, compared with a model of what has to be stored.
@Suite(.timeLimit(.minutes(5))) struct RandomHistoryTests {
  /// The content of the folder: the cards of each file.
  private struct Model {
    struct Person: Hashable {
      let uid: String
      var name: String
    }

    var files: [String: [Person]] = [:]
    var nextNumber = 0

    mutating func person() -> Person {
      self.nextNumber += 1
      return Person(uid: "u\(self.nextNumber)", name: "N\(self.nextNumber)")
    }

    /// Changes the folder in one random way, and `home` in the same way.
    mutating func edit(_ random: inout SeededGenerator, in home: Household, folder: String) throws {
      let names = self.files.keys.sorted().shuffled(using: &random)
      let name = names.first
      switch (Int.random(in: 0..<11, using: &random), name) {
      case (0...1, let name?):
        self.files[name]?[0].name += "x"
      case (2, let name?):
        self.files[name] = nil
      case (3, let name?):
        let people = self.files.removeValue(forKey: name)
        self.files["renamed\(self.nextNumber).vcf"] = people
        self.nextNumber += 1
      case (4, let name?):
        let person = self.person()
        self.files[name]?.append(person)
      case (5, let name?):
        self.files[name]?.reverse()
      case (6, let name?):
        if (self.files[name] ?? []).count > 1 { self.files[name]?.removeLast() }
      case (7...8, _?):
        // Files swap names in a circle.
        let circle = names.prefix(Int.random(in: 2...3, using: &random))
        let contents = circle.map { self.files[$0] }
        for (name, content) in zip(circle.dropFirst() + circle.prefix(1), contents) { self.files[name] = content }
      case (9, let name?):
        let people = self.files.removeValue(forKey: name)
        let folder = ["", "s1/", "s2/"].randomElement(using: &random) ?? ""
        self.files["\(folder)moved\(self.nextNumber).vcf"] = people
        self.nextNumber += 1
      default:
        let person = self.person()
        let folder = ["", "", "s1/"].randomElement(using: &random) ?? ""
        self.files["\(folder)f\(self.nextNumber).vcf"] = [person]
      }
      try self.write(in: home, folder: folder)
    }

    private func write(in home: Household, folder: String) throws {
      let path = home.path(folder)
      for inner in ["s1", "s2"] {
        try FileManager.default.createDirectory(atPath: path + "/" + inner, withIntermediateDirectories: true)
      }
      for name in try FileManager.default.subpathsOfDirectory(atPath: path)
      where name.hasSuffix(".vcf") && self.files[name] == nil {
        try home.remove(folder + "/" + name)
      }
      for (name, people) in self.files {
        let text = people.map { Household.card(uid: $0.uid, name: $0.name) }.joined()
        let file = folder + "/" + name
        if (try? String(contentsOfFile: home.path(file), encoding: .utf8)) == text { continue }
        try home.write(file, text)
      }
    }
  }

  @Test func historiesEndLikeTheirModel() async throws {
    let home = try Household()
    let seeds = testSeeds(short: 60, full: 300)
    for seed in seeds {
      var random = SeededGenerator(seed: seed)
      var model = Model()
      let source = "h\(seed)"
      try FileManager.default.createDirectory(atPath: home.path(source), withIntermediateDirectories: true)
      try await home.addFolder(source, path: home.path(source))
      var ids: [String: String] = [:]
      for _ in 0..<5 {
        for _ in 0..<Int.random(in: 1...4, using: &random) { try model.edit(&random, in: home, folder: source) }
        // A confirmation applies only to what an earlier pass has held back.
        _ = try await home.sync(source)
        let status = try await home.sync(source, allowMassDelete: true)
        #expect(status.state == .completed)
        let live = try await home.live(source)
        let expected = model.files.values.flatMap(\.self).map { "\($0.uid) \($0.name)" }.sorted()
        #expect(live.map { "\($0.uid) \($0.formattedName)" }.sorted() == expected, "seed \(seed)")
        for contact in live {
          #expect(ids[contact.uid] ?? contact.id == contact.id, "seed \(seed): the contact of a card changed")
          ids[contact.uid] = contact.id
        }
      }
      let again = try await home.sync(source)
      #expect(again.added + again.updated + again.deleted + again.revived == 0, "seed \(seed)")
    }
    await home.close()
    try tally(histories: seeds.count)
  }
}
