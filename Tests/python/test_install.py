"""The script that installs the programs, with a `swift` that builds nothing: what lands where, with and without kith-web."""
import os
import pathlib
import shutil
import subprocess

import pytest

from conftest import ROOT

OTHERS = ("setup.sh", "version.sh", "speech-model.sh")
# Writes a manual of one page under the name by which it was started, and completion for a shell that is named after its option.
PROGRAM = """
#include <libgen.h>
#include <stdio.h>
#include <sys/stat.h>
int answer(void) { return 0; }
int main(int count, char **arguments) {
    if (count == 3) return puts("#!/bin/bash") < 0 || puts(arguments[2]) < 0;
    if (count != 4) return answer();
    char page[4096];
    mkdir(arguments[3], 0755);
    snprintf(page, sizeof page, "%s/%s.page", arguments[3], basename(arguments[0]));
    FILE *file = fopen(page, "w");
    return file ? fclose(file) : 1;
}
"""
SWIFT = """#!/bin/bash
case "$*" in
*--show-bin-path*) echo "$BUILT" ;;
-print-target-info) echo "    \\"runtimeResourcePath\\": \\"$HOME/swift\\"" ;;
*) echo "KITH_WEB=${KITH_WEB:-} $*" >>"$ASKED" ;;
esac
"""


@pytest.fixture
def install(tmp_path):
    """Runs install.sh on a tree with built programs in it; returns (what `swift` was asked for, the folder of the programs)."""
    (tmp_path / "scripts").mkdir()
    shutil.copy(ROOT / "scripts" / "install.sh", tmp_path / "scripts")
    for name in OTHERS:
        (tmp_path / "scripts" / name).write_text("#!/bin/bash\n")
        (tmp_path / "scripts" / name).chmod(0o755)
    for folder in ("bin", "built", "licenses", ".build/speech"):
        (tmp_path / folder).mkdir(parents=True)
    for name in ("LICENSE", "NOTICE", "THIRD-PARTY.md", "licenses/HTTP.txt", ".build/speech/caregiving.lm.bin"):
        (tmp_path / name).write_text("text")
    (tmp_path / "bin" / "swift").write_text(SWIFT)
    (tmp_path / "bin" / "swift").chmod(0o755)
    (tmp_path / "program.c").write_text(PROGRAM)
    for folder in ("swift/linux", "swift_static/linux"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "swift_static/linux/lib_FoundationICU.a").write_text("")
    (tmp_path / "swift_static/linux/libswiftCore.a").write_text("")
    subprocess.run(["gcc", "-shared", "-o", tmp_path / "swift/linux/lib_FoundationICU.so", tmp_path / "program.c"], check=True)
    for name in ("kith-programs", "kith-pocketsphinx", "kith-web"):
        subprocess.run(["gcc", "-g", "-o", tmp_path / "built" / name, tmp_path / "program.c"], check=True)

    def run(*options, path="/usr/bin:/bin"):
        asked = tmp_path / "asked"
        asked.write_text("")
        prefix = tmp_path / "prefix"
        environment = {
            "PATH": f"{tmp_path}/bin:{path}", "HOME": str(tmp_path), "TMPDIR": str(tmp_path),
            "BUILT": str(tmp_path / "built"), "ASKED": str(asked)}
        told = subprocess.run(
            ["bash", tmp_path / "scripts" / "install.sh", *options, prefix, "--jobs", "1"],
            env=environment, capture_output=True, text=True, timeout=60)
        assert told.returncode == 0, told.stderr
        return sorted(asked.read_text().splitlines()), prefix, told.stderr

    return run


def test_kith_web_is_installed_only_when_it_is_asked_for(install):
    options = "build -c release --static-swift-stdlib --jobs 1 --product"
    asked, prefix, told = install()
    assert asked == [f"KITH_WEB= {options} kith-pocketsphinx", f"KITH_WEB= {options} kith-programs"]
    programs = {"kith", "kithd", "kith-pocketsphinx", "kith-report"}
    assert set(os.listdir(prefix / "bin")) == programs | {".debug"} and "kith-web" not in told
    manual = {section: os.listdir(prefix / "share" / "man" / section) for section in ("man1", "man8")}
    assert manual == {"man1": ["kith.page"], "man8": ["kithd.page"]}
    # Bash reads its file and never runs it.
    assert (prefix / "share" / "bash-completion" / "completions" / "kith").read_text() == "bash\n"
    assert (prefix / "share" / "zsh" / "site-functions" / "_kith").read_text().endswith("\nzsh\n")
    assert (prefix / "share" / "fish" / "vendor_completions.d" / "kith.fish").read_text().endswith("\nfish\n")
    assert os.readlink(prefix / "bin" / "kithd") == os.readlink(prefix / "bin" / "kith-report") == "kith"

    # Into the same folder, later.
    asked, prefix, told = install("--web")
    assert asked == [f"KITH_WEB=1 {options} {name}" for name in ("kith-pocketsphinx", "kith-programs", "kith-web")]
    assert set(os.listdir(prefix / "bin")) == programs | {"kith-web", ".debug"} and "kith-web in" in told
    assert not (prefix / "bin" / "kith-web").is_symlink()
    # ICU is there once, and none is linked in.
    assert os.listdir(prefix / "lib" / "kith") == ["lib_FoundationICU.so"]
    assert set(os.listdir(prefix.parent / ".build/swift-static/linux")) == {"libswiftCore.a", "lib_FoundationICU.so"}
    assert set(os.listdir(prefix / "share" / "man" / "man8")) == {"kithd.page", "kith-web.page"}


def test_programs_are_stripped_and_a_debugger_finds_their_symbols(install):
    _, prefix, _ = install("--web")
    for name in ("kith", "kith-pocketsphinx", "kith-web"):
        program = prefix / "bin" / name
        assert subprocess.run([program], timeout=10).returncode == 0
        sections = subprocess.run(["readelf", "-SW", program], capture_output=True, text=True, check=True).stdout
        assert ".gnu_debuglink" in sections and ".debug_info" not in sections and ".symtab" not in sections
        symbols = subprocess.run(["nm", prefix / "bin" / ".debug" / f"{name}.debug"], capture_output=True, text=True, check=True)
        assert " answer\n" in symbols.stdout
    assert (prefix / "share" / "doc" / "kith" / "licenses" / "HTTP.txt").read_text() == "text"


@pytest.mark.parametrize("there", [("ffmpeg", "ffprobe"), ("ffmpeg",), ()], ids=["both", "one", "none"])
def test_without_ffmpeg_the_command_that_installs_it_is_said(install, tmp_path, there):
    tools = tmp_path / "tools"
    tools.mkdir()
    for program in pathlib.Path("/usr/bin").iterdir():
        if program.name not in ("ffmpeg", "ffprobe"):
            (tools / program.name).symlink_to(program)
    for name in there:
        (tools / name).symlink_to("/bin/true")
    _, prefix, told = install(path=str(tools))
    assert ("sudo apt-get install ffmpeg" in told) == (len(there) < 2), told
    assert f"installed kithd, kith-report and kith, kith-pocketsphinx in {prefix}/bin" in told


def test_the_unit_of_kith_web_starts_the_installed_program():
    """With a user of its own, which the handbook makes and lets in."""
    unit = (ROOT / "examples" / "systemd" / "kith-web.service").read_text()
    handbook = (ROOT / "docs" / "operations.md").read_text()
    assert "\nExecStart=/usr/local/bin/kith-web " in unit and "\nUser=kith-web\n" in unit
    assert "useradd --system --user-group --home-dir /var/lib/kith-web --shell /usr/sbin/nologin kith-web\n" in handbook
    assert '\nkith-web = "door"\n' in handbook and "\nscripts/install.sh --web\n" in handbook
