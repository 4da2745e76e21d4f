"""PHP's own web server for a starter: several workers, one script for every path."""

from starter import accepts

# The pages of a site are few and do not change; every request would compile them again.
SETTINGS = ("opcache.enable=1", "opcache.enable_cli=1", "opcache.revalidate_freq=60", "display_errors=0", "log_errors=1")


def serve(starter, script, root, **environment):
    words = [word for setting in SETTINGS for word in ("-d", setting)]
    starter.launch(
        "php", *words, "-S", f"127.0.0.1:{starter.port}", "-t", root, script, ready=lambda: accepts(starter.port),
        PHP_CLI_SERVER_WORKERS="4", **environment)  # fmt: skip
