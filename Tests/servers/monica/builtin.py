"""What every account of Monica has from the beginning, and what the program itself fixes."""

COLORS = ("#fdb660", "#93521e", "#bd5067", "#b3d5fe", "#ff9807", "#709512", "#5f479a", "#e5e5cd")

GENDERS = (("Man", "M"), ("Woman", "F"), ("Rather not say", "O"))

# Name, type, protocol, icon, whether a person may delete it.
CONTACT_FIELD_TYPES = (
    ("Email", "email", "mailto:", "fa fa-envelope-open-o", False),
    ("Phone", "phone", "tel:", "fa fa-volume-control-phone", False),
    ("Facebook", None, "https://facebook.com/", "fa fa-facebook-official", True),
    ("Twitter", None, None, "fa fa-twitter-square", True),
    ("Whatsapp", None, "https://wa.me/", "fa fa-whatsapp", True),
    ("Telegram", None, "telegram:", "fa fa-telegram", True),
    ("LinkedIn", None, None, "fa fa-linkedin-square", True),
)

# Labels of contact fields that Monica knows and translates.
LABELS = {"home": "Home", "work": "Work", "cell": "Mobile", "fax": "Fax", "pager": "Pager", "main": "Main", "other": "Other"}

# Categories of activities, each with its types.
ACTIVITIES = {
    "Simple activities": ("just hung out", "watched a movie at home", "just talked at home"),
    "Sport": ("played a sport together",),
    "Food": ("ate at their place", "went to a bar", "ate at home", "picnicked", "ate at a restaurant"),
    "Cultural activities": ("went to the theater", "went to a concert", "went to a play", "went to the museum"),
}

RELATIONSHIP_GROUPS = ("love", "family", "friend", "work")

# Name, name of the reverse, group. The order is that of the ids.
RELATIONSHIP_TYPES = (
    ("partner", "partner", "love"),
    ("spouse", "spouse", "love"),
    ("date", "date", "love"),
    ("lover", "lover", "love"),
    ("inlovewith", "lovedby", "love"),
    ("lovedby", "inlovewith", "love"),
    ("ex", "ex", "love"),
    ("parent", "child", "family"),
    ("child", "parent", "family"),
    ("sibling", "sibling", "family"),
    ("grandparent", "grandchild", "family"),
    ("grandchild", "grandparent", "family"),
    ("uncle", "nephew", "family"),
    ("nephew", "uncle", "family"),
    ("cousin", "cousin", "family"),
    ("godfather", "godson", "family"),
    ("godson", "godfather", "family"),
    ("friend", "friend", "friend"),
    ("bestfriend", "bestfriend", "friend"),
    ("colleague", "colleague", "work"),
    ("boss", "subordinate", "work"),
    ("subordinate", "boss", "work"),
    ("mentor", "protege", "work"),
    ("protege", "mentor", "work"),
    ("ex_husband", "ex_husband", "love"),
    ("stepparent", "stepchild", "family"),
    ("stepchild", "stepparent", "family"),
)

CURRENCIES = (
    ("CAD", "Canadian Dollar", "$"),
    ("USD", "US Dollar", "$"),
    ("GBP", "British Pound", "£"),
    ("EUR", "Euro", "€"),
    ("RUB", "Russian Ruble", "₽"),
)

# Some of the countries, in the order of their names.
COUNTRIES = {
    "AU": "Australia", "AT": "Austria", "BE": "Belgium", "BR": "Brazil", "CA": "Canada", "FR": "France", "DE": "Germany",
    "IN": "India", "IT": "Italy", "JP": "Japan", "NL": "Netherlands", "PL": "Poland", "PT": "Portugal", "ES": "Spain",
    "SE": "Sweden", "CH": "Switzerland", "GB": "United Kingdom", "US": "United States",
}  # fmt: skip

# Their ids are their places in this list, from 1; "pleasure" is there twice.
EMOTIONS = """
adoration affection love fondness liking attraction caring tenderness compassion sentimentality
arousal desire lust passion infatuation longing
amusement bliss cheerfulness gaiety glee jolliness joviality joy delight enjoyment gladness happiness jubilation elation
satisfaction ecstasy euphoria
enthusiasm zeal zest excitement thrill exhilaration
contentment pleasure
pride pleasure
eagerness hope
enthrallment rapture
relief
amazement surprise astonishment
aggravation irritation agitation annoyance grouchiness grumpiness
exasperation frustration
anger rage outrage fury wrath hostility ferocity bitterness hate loathing scorn spite vengefulness dislike resentment
disgust revulsion contempt
envy jealousy
agony suffering hurt anguish
depression despair hopelessness gloom glumness sadness unhappiness grief sorrow woe misery melancholy
dismay disappointment displeasure
guilt shame regret remorse
alienation isolation neglect loneliness rejection homesickness defeat dejection insecurity embarrassment humiliation insult
pity sympathy
alarm shock fear fright horror terror panic hysteria mortification
anxiety nervousness tenseness uneasiness apprehension worry distress dread
""".split()
