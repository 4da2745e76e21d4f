internal import KithMessages

/// `/me`: the user of a token.
struct UserResource: Decodable, Sendable {
  let id: UInt64
  let name: String
  let email: String
  let timeZone: String
  let locale: String
  let person: UInt64?

  init(from decoder: any Swift.Decoder) throws {
    let fields = try Fields(decoder)
    self.id = try fields.id()
    self.name = fields.text("name")
    self.email = fields.text("email")
    self.timeZone = fields.text("timezone")
    self.locale = fields.text("locale")
    self.person = try fields.object(ShortPerson.self, "me_contact")?.id
  }

  var reply: VerifyAccountReply {
    var reply = VerifyAccountReply()
    reply.userID = self.id
    reply.name = self.name
    reply.email = self.email
    reply.timeZone = self.timeZone
    reply.locale = self.locale
    reply.meID = self.person ?? 0
    return reply
  }
}
