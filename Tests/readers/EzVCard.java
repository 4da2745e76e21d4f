import ezvcard.Ezvcard;
import ezvcard.VCard;
import ezvcard.property.Address;
import ezvcard.property.BinaryProperty;
import ezvcard.property.DateOrTimeProperty;
import ezvcard.property.Email;
import ezvcard.property.Key;
import ezvcard.property.RawProperty;
import ezvcard.property.StructuredName;
import ezvcard.property.Telephone;
import ezvcard.property.TextProperty;
import ezvcard.property.VCardProperty;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.text.SimpleDateFormat;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Reads vCards by ez-vcard (libez-vcard-java of Debian): base64 of a card a line, out comes JSON of its values by field a line. */
public class EzVCard {
  private final Map<String, List<String>> values = new TreeMap<>();

  public static void main(String[] arguments) throws Exception {
    var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
    var out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      var text = new String(Base64.getDecoder().decode(line), StandardCharsets.UTF_8);
      var cards = Ezvcard.parse(text).all();
      if (cards.size() == 1) {
        var reading = new EzVCard();
        reading.read(cards.get(0));
        out.println(reading.json());
      } else {
        out.println("{\"error\":" + quote(cards.size() + " cards") + "}");
      }
    }
  }

  private void read(VCard card) throws Exception {
    addTexts("name", card.getFormattedNames());
    for (StructuredName name : card.getProperties(StructuredName.class)) {
      addParts("parts", Arrays.asList(one(name.getFamily()), one(name.getGiven()), join(name.getAdditionalNames()),
          join(name.getPrefixes()), join(name.getSuffixes())));
    }
    for (Telephone telephone : card.getTelephoneNumbers()) {
      add("phones", telephone.getUri() == null ? telephone.getText() : telephone.getUri().toString());
    }
    for (Email email : card.getEmails()) add("emails", email.getValue());
    for (var url : card.getUrls()) add("urls", url.getValue());
    for (Address address : card.getAddresses()) {
      addParts("addresses", Arrays.asList(list(address.getPoBoxes()), list(address.getExtendedAddresses()),
          list(address.getStreetAddresses()), list(address.getLocalities()), list(address.getRegions()),
          list(address.getPostalCodes()), list(address.getCountries())));
    }
    for (var organisation : card.getOrganizations()) {
      add("organisation", organisation.getValues().stream().findFirst().orElse(""));
    }
    addTexts("title", card.getTitles());
    addTexts("note", card.getNotes());
    if (card.getUid() != null) add("uid", card.getUid().getValue());
    for (var birthday : card.getBirthdays()) add("birthday", date(birthday));
    for (var anniversary : card.getAnniversaries()) add("dates", date(anniversary));
    for (var death : card.getDeathdates()) add("dates", date(death));
    for (var photo : card.getPhotos()) addBytes("photo", photo);
    for (var logo : card.getLogos()) addBytes("media", logo);
    for (var sound : card.getSounds()) addBytes("media", sound);
    for (var key : card.getKeys()) addBytes("media", key);
    for (RawProperty property : card.getExtendedProperties()) {
      var field = EXTENDED.get(property.getPropertyName().toUpperCase());
      if (field != null) add(field, withoutUnknownYear(property.getValue(), property));
    }
  }

  /// Dates that programs have in properties of their own, and another address on the web.
  private static final Map<String, String> EXTENDED = Map.of(
      "X-ABDATE", "dates", "X-ANNIVERSARY", "dates", "X-EVOLUTION-ANNIVERSARY", "dates", "X-MS-ANNIVERSARY", "dates",
      "X-KADDRESSBOOK-X-ANNIVERSARY", "dates", "X-DEATHDATE", "dates", "X-BDAY", "dates", "X-ALTBDAY", "dates",
      "X-KADDRESSBOOK-BLOGFEED", "urls");

  private static String date(DateOrTimeProperty property) {
    if (property.getPartialDate() != null) return property.getPartialDate().toISO8601(true);
    if (property.getText() != null) return property.getText();
    if (property.getDate() == null) return "";
    return withoutUnknownYear(new SimpleDateFormat("yyyy-MM-dd").format(property.getDate()), property);
  }

  /** Apple's programs have another year where none is known, and say so. */
  private static String withoutUnknownYear(String text, VCardProperty property) {
    var omitted = property.getParameter("X-APPLE-OMIT-YEAR");
    return omitted != null && text.startsWith(omitted) ? "-" + text.substring(4) : text;
  }

  private void addBytes(String field, BinaryProperty<?> property) throws Exception {
    if (property.getData() != null) {
      var digest = MessageDigest.getInstance("SHA-256").digest(property.getData());
      var text = new StringBuilder("sha256:");
      for (byte piece : digest) text.append(String.format("%02x", piece));
      add(field, text.toString());
    } else if (property.getUrl() != null) {
      add(field, property.getUrl());
    } else {
      add(field, property instanceof Key ? "text:" + ((Key) property).getText() : "nothing");
    }
  }

  private void addTexts(String field, List<? extends TextProperty> properties) {
    for (TextProperty property : properties) add(field, property.getValue());
  }

  private void addParts(String field, List<String> parts) { add(field, String.join("|", parts)); }

  private void add(String field, String text) {
    values.computeIfAbsent(field, key -> new ArrayList<>()).add(text == null ? "" : text);
  }

  private static String one(String text) { return text == null ? "" : text; }

  private static String join(List<String> texts) { return String.join(" ", texts); }

  private static String list(List<String> texts) { return String.join(",", texts); }

  private String json() {
    return values.entrySet().stream()
        .map(entry -> quote(entry.getKey()) + ":"
            + entry.getValue().stream().map(EzVCard::quote).collect(Collectors.joining(",", "[", "]")))
        .collect(Collectors.joining(",", "{", "}"));
  }

  private static String quote(String text) {
    var quoted = new StringBuilder("\"");
    for (char unit : text.toCharArray()) {
      if (unit == '"' || unit == '\\' || unit < ' ' || unit > '~') {
        quoted.append(String.format("\\u%04x", (int) unit));
      } else {
        quoted.append(unit);
      }
    }
    return quoted.append('"').toString();
  }
}
