"""A browser without scripts: it reads pages of kith-web, follows their links, and sends their forms as browsers do.

    visitor = Visitor(front.device("hanako"))
    page = visitor.open("/people")
    page = page.send("People/Create", {"record.firstName": "Ann"})
    page = page.follow("Ann")
    assert "Ann" in page.title and page.marked("note") == []

A form is sent with everything that it has: what it hides, what it suggests, what is chosen first. A field that it does not have, a
choice that it does not offer, or an empty field that it requires is an error, as a person could not send that either.
"""
import html.parser
import urllib.parse

VOID = {"input", "meta", "link", "img", "br", "hr", "source"}
# What stands in a line of text; everything else begins a line of its own.
INLINE = {"a", "b", "del", "em", "mark", "output", "span", "strong", "time"}


class Node:
    """An element, with what is in it."""

    def __init__(self, tag, attributes):
        self.tag, self.attributes, self.children = tag, attributes, []

    @property
    def text(self):
        return " ".join("".join(self.pieces()).split())

    def pieces(self):
        for child in self.children:
            if not isinstance(child, Node):
                yield child
                continue
            edge = "" if child.tag in INLINE else " "
            yield edge
            yield from child.pieces()
            yield edge

    def all(self, tag=None, **attributes):
        """The elements in it, of a name and with attributes; `data_test` stands for `data-test`."""
        wanted = {name.replace("_", "-"): value for name, value in attributes.items()}
        for child in self.children:
            if isinstance(child, Node):
                if tag in (None, child.tag) and all(child.attributes.get(name) == value for name, value in wanted.items()):
                    yield child
                yield from child.all(tag, **attributes)

    def links(self):
        """(text, address) of each link."""
        return [(link.text, link.attributes["href"]) for link in self.all("a") if "href" in link.attributes]


class Reader(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.root = Node("", {})
        self.open = [self.root]
        self.feed(text)
        assert len(self.open) == 1, f"not closed: {[node.tag for node in self.open]}"

    def handle_starttag(self, tag, attributes):
        node = Node(tag, {name: value or "" for name, value in attributes})
        self.open[-1].children.append(node)
        if tag not in VOID:
            self.open.append(node)

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open[-1].tag == tag, f"</{tag}> closes <{self.open[-1].tag}>"
            self.open.pop()

    def handle_data(self, text):
        self.open[-1].children.append(text)


class Form:
    """A form, with its fields in their order."""

    def __init__(self, node):
        self.node, self.action, self.fields = node, node.attributes.get("action", ""), []
        # What only scripts show has no name either: it is not sent without them.
        unseen = [label for around in node.all("div", hidden="") for label in around.all("label")]
        self.labels = [label.text for label in node.all("label") if label not in unseen]
        for field in node.all():
            if field.tag in ("input", "textarea", "select") and "name" in field.attributes:
                self.fields.append(field)

    def names(self):
        return [field.attributes["name"] for field in self.fields]

    @staticmethod
    def suggested(field):
        """What a field has before a person touches it."""
        attributes = field.attributes
        if field.tag == "textarea":
            return ["".join(field.pieces())]
        if field.tag == "select":
            options = list(field.all("option"))
            chosen = [option for option in options if "selected" in option.attributes]
            if not chosen and "multiple" not in attributes:
                chosen = options[:1]
            return [option.attributes["value"] for option in chosen]
        if attributes.get("type") in ("checkbox", "radio") and "checked" not in attributes:
            return []
        return [attributes.get("value", "")]

    @staticmethod
    def check(field, values):
        """Refuses what a browser refuses."""
        name, attributes = field.attributes["name"], field.attributes
        if field.tag == "select":
            offered = [option.attributes["value"] for option in field.all("option")]
            assert set(values) <= set(offered), f"{name} offers {offered}"
        for value in values:
            assert len(value) <= int(attributes.get("maxlength") or 10**9), f"{name} takes {attributes['maxlength']} characters"
        assert "required" not in attributes or any(values), f"{name} is required"

    def pairs(self):
        """(name, value) of each field as it is."""
        return [(field.attributes["name"], value) for field in self.fields for value in self.suggested(field)]

    def filled(self, values):
        """(name, value) of each field, with what a person has entered."""
        missing = set(values) - set(self.names())
        assert not missing, f"{self.action} has no {missing}; it has {self.names()}"
        pairs, entered = [], set()
        for field in self.fields:
            name = field.attributes["name"]
            chosen = self.suggested(field)
            if name in values and field.attributes.get("type") != "hidden" and name not in entered:
                entered.add(name)
                chosen = values[name] if isinstance(values[name], list) else [values[name]]
            self.check(field, chosen)
            pairs += [(name, value) for value in chosen]
        return pairs


class Page:
    """A page that was opened."""

    def __init__(self, visitor, answer):
        self.visitor, self.status, self.source = visitor, answer.status_code, answer.text
        parts = urllib.parse.urlsplit(answer.url)
        self.path = parts.path + (f"?{parts.query}" if parts.query else "")
        self.root = Reader(answer.text).root

    @property
    def main(self):
        return next(self.root.all("main"))

    @property
    def text(self):
        return self.main.text

    @property
    def title(self):
        return next(self.root.all("h1")).text

    def marked(self, test):
        """The elements of the content that a test knows by a name."""
        return list(self.main.all(data_test=test))

    def texts(self, test):
        return [node.text for node in self.marked(test)]

    def forms(self, method, having=None):
        """The forms that send a method, of those with the values of `having` where it is given."""
        forms = [Form(node) for node in self.main.all("form", action=f"/forms/kith.v1.{method}")]
        return [form for form in forms if set((having or {}).items()) <= set(form.pairs())]

    def send(self, method, values=None, having=None):
        """Fills in the first form that sends a method and has the fields, sends it, and gives the page that follows."""
        forms = [form for form in self.forms(method, having) if set(values or {}) <= set(form.names())]
        form = next(iter(forms or self.forms(method, having)), None)
        assert form, f"{self.path} has no form {method} with {having}: {self.text}"
        return self.visitor.open(form.action, form.filled(values or {}))

    def search(self, action, **values):
        """Sends a form that only asks."""
        form = next(Form(node) for node in self.main.all("form", action=action, method="get"))
        return self.visitor.open(f"{action}?{urllib.parse.urlencode(form.filled(values))}")

    def follow(self, text, within=None):
        """Opens the first link with a text."""
        links = [address for words, address in (within or self.main).links() if text in words]
        assert links, f"{self.path} has no link {text}: {(within or self.main).links()}"
        return self.visitor.open(links[0])


class Visitor:
    """A person with a device."""

    def __init__(self, device, language="en"):
        self.device, self.language = device, language

    def open(self, path, form=None):
        answer = self.device.ask("POST" if form else "GET", path, data=form, headers={"Accept-Language": self.language})
        return Page(self, answer)


def person(front, first, **fields):
    """The id of a new person."""
    return front.hub.reply("People/Create", {"record": {"firstName": first, **fields}})["id"]


def hidden(page, action, having=""):
    """(name, value) of what a form hides, for requests that are not those of a person with a browser.

    It is the first form of the page with this text that sends a command, and that names HAVING where it is given.
    """
    forms = [Form(node) for node in Reader(page).root.all("form", action=f"/forms/{action}")]
    form = next((form for form in forms if not having or having in form.names()), None)
    assert form, f"no form {action}"
    return [(field.attributes["name"], field.attributes["value"]) for field in form.fields if field.attributes.get("type") == "hidden"]
