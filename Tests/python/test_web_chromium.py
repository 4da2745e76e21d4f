"""The pages of kith-web in Chromium, and what a browser allows by which way."""
import pytest

from browser import chromium
from web import door

NAME = "kith.home.arpa"


@pytest.fixture(scope="module")
def front():
    with door("--insecure-http", "--name", NAME) as front:
        yield front


@pytest.fixture(scope="module")
def browser():
    with chromium(names=[NAME]) as browser:
        yield browser


@pytest.mark.parametrize("language, title", [("en-GB", "Join this device"), ("ja-JP", "この端末を登録する")])
def test_the_pages_follow_the_language_and_break_no_policy(front, browser, language, title):
    phone = browser.phone(locale=language, color_scheme="dark")
    try:
        phone.open(front.url + "/pair")
        assert phone.read("document.documentElement.lang") == language[:2]
        assert phone.read("document.querySelector('h1').textContent") == title
        assert phone.read("matchMedia('(prefers-color-scheme: dark)').matches") and phone.read("innerWidth") == 390
        assert phone.refused() == [] and phone.faults == []
    finally:
        phone.close()
