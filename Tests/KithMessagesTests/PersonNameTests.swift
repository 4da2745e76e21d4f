import KithMessages
import Testing

@Suite struct PersonNameTests {
  @Test(arguments: [
    ("Ann", "", "Lee", "Ann Lee"), ("Ann", "M.", "Lee", "Ann M. Lee"), ("花子", "", "佐藤", "佐藤 花子"),
    ("はなこ", "", "さとう", "さとう はなこ"), ("ジョン", "", "田中", "田中 ジョン"), ("ジョン", "", "スミス", "ジョン スミス"),
    ("Hanako", "", "佐藤", "Hanako 佐藤"), ("花子", "", "", "花子"), ("", "", "佐々木", "佐々木"),
    ("太郎", "次", "山田", "山田 太郎 次"),
  ]) func `a name is shown in the order of its language`(first: String, middle: String, last: String, shown: String) {
    var person = Person()
    (person.firstName, person.middleName, person.lastName) = (first, middle, last)
    #expect(person.shownName == shown)
  }

  @Test func `the name that a server gives is shown, and a nickname where there is nothing else`() {
    var person = Person()
    person.nickname = "Bunny"
    #expect(person.shownName == "Bunny")
    (person.firstName, person.lastName) = ("花子", "佐藤")
    person.displayName = "花子 佐藤 (Bunny)"
    #expect(person.shownName == "花子 佐藤 (Bunny)")
  }

  @Test func `a person answers to family and given name in any order`() {
    var person = Person()
    (person.firstName, person.lastName) = ("花子", "佐藤")
    #expect(person.names.contains("花子 佐藤"))
    #expect(person.names.contains("佐藤 花子"))
  }
}
