"""The documents are true as far as a program can tell.

usage: check_docs.py [--update] [--gstrace GSTRACE] [FILE.md ...]   (default: all of the tree; run at its top)

  * Relative links lead to a file, and "#parts" to a heading of it.
  * Names in `code` (two_words, tools/x.sh, x.c) are in the tree.
With GSTRACE, the program, also:
  * Each `gstrace COMMAND`, and each --option beside one, is in that command's --help.
  * A block that begins with "$ gstrace ARGUMENTS" goes on with what that prints. " | grep -E 'PATTERN'" behind it
    leaves the lines that match; "..." as the last line stands for the rest. --update rewrites such blocks.
  * The README's table of findings has all that the program knows.
"""
import argparse
import os
import re
import shlex
import subprocess
import sys

LINK = re.compile(r"(?<!\!)\[[^\]\n]*\]\(([^()\s]+)\)")
FENCE = re.compile(r"^\s*```")
COMMAND = re.compile(r"^\$ gstrace (.*)$")

# Names with a "_" in a document's `code` are to be found in one of these.
SOURCES = (".c", ".h", ".def", ".cu", ".bzl", "BUILD", ".py", ".sh", ".sql", ".proto", ".map", ".tsv")

# Two words, and not ours.
OTHERS = {"trace_processor"}
# `gstrace WORD` that is no command: the name of a track in Perfetto.
NO_COMMANDS = {"findings"}
# Options that stand alone in these are Bazel's and the tools'.
OTHERS_OPTIONS = {"CONTRIBUTING.md", "docs/TESTING.md", "docs/COVERAGE.md", "kernels/README.md"}

problems = []


def complain(path, line, text):
    problems.append("%s:%d: %s" % (path, line, text))


def anchor(heading):
    """The name that a heading gets in a link."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    text = re.sub(r"[^\w\- ]", "", text.strip().lower())
    return text.replace(" ", "-")


def anchors(path):
    found = set()
    in_fence = False
    with open(path, encoding="utf-8") as f:
        for line in f:
            if FENCE.match(line):
                in_fence = not in_fence
            elif not in_fence and line.startswith("#"):
                name = unique = anchor(line.lstrip("#"))
                count = 1
                while unique in found:
                    unique = "%s-%d" % (name, count)
                    count += 1
                found.add(unique)
    return found


def check_links(path, lines):
    in_fence = False
    for number, line in enumerate(lines, 1):
        if FENCE.match(line):
            in_fence = not in_fence
        if in_fence:
            continue
        # Code in a line is no link, but a link's text may be code.
        for target in LINK.findall(re.sub(r"(?<!\[)`[^`]*`", "", line)):
            if re.match(r"[a-z]+:", target):
                continue
            name, _, part = target.partition("#")
            full = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
            if not os.path.exists(full):
                complain(path, number, "no such file: %s" % target)
            elif part and full.endswith(".md") and part not in anchors(full):
                complain(path, number, "no such heading: %s" % target)


class Tree:
    """What a document may name: files by name and by path, identifiers of the sources."""

    def __init__(self, files):
        self.files = set(files)
        self.names = {os.path.basename(f) for f in files}
        # A test or a trace is called by its file's name.
        self.words = {os.path.splitext(n)[0] for n in self.names} | OTHERS
        for f in files:
            if f.endswith(SOURCES):
                with open(f, encoding="utf-8", errors="replace") as text:
                    self.words.update(re.findall(r"\b[A-Za-z]\w*_\w+", text.read()))

        # Settings are what the library and the program read.
        self.settings = set()
        for f in files:
            if f.startswith(("tracer/config.", "analyzer/cli/", "kernels/", "tools/")) and f.endswith((".c", ".h", ".bzl")):
                with open(f, encoding="utf-8", errors="replace") as text:
                    self.settings.update(re.findall(r"\bGSTRACE_\w+", text.read()))

    def has_word(self, word):
        if word in self.words:
            return True
        # struct gst_rec_kernel and the like come out of records.def.
        return word.startswith("gst_rec_")


def check_names(path, lines, tree):
    in_fence = False
    for number, line in enumerate(lines, 1):
        if FENCE.match(line):
            in_fence = not in_fence
        for word in re.findall(r"\bGSTRACE_\w+", line):
            if word not in tree.settings:
                complain(path, number, "no such setting: %s" % word)
        if in_fence:
            continue
        for code in re.findall(r"`([^`]+)`", line):
            for word in re.findall(r"^([a-z]\w*_\w+)(?:\(\))?$", code):
                if not tree.has_word(word):
                    complain(path, number, "no such name in the sources: %s" % word)
            if re.search(r"(^|/)x[_.]", code):
                continue  # stands for any name
            if re.match(r"^(analyzer|docs|kernels|testdata|tools|tracer)/[\w./-]+\.[a-z]+$", code):
                if code not in tree.files:
                    complain(path, number, "no such file: %s" % code)
            elif re.match(r"^[\w-]+\.(c|def|sh|py|cu)$", code) and code not in tree.names:
                complain(path, number, "no file has the name %s" % code)


class Gstrace:
    def __init__(self, binary):
        self.binary = binary
        listed = self.run(["--help"]).split("Commands:")[1].split("\n\n")[0]
        self.commands = re.findall(r"^  (\w+) {2,}", listed, re.M)
        self.helps = {c: self.run([c, "--help"]) for c in self.commands}

    def run(self, arguments):
        done = subprocess.run(
            [self.binary] + arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, check=False
        )
        return done.stdout.decode("utf-8", "replace")

    def has_option(self, command, option):
        return re.search(r"(^|[\s,])%s(?![\w-])" % re.escape(option), self.helps[command]) is not None


def pieces_of_code(lines):
    """(line number, text) of each piece of code: in a line, or a line of a block, but not an output."""
    in_fence = False
    is_output = False
    for number, line in enumerate(lines, 1):
        if FENCE.match(line):
            in_fence = not in_fence
            is_output = False
        elif in_fence:
            if COMMAND.match(line):
                is_output = True
                yield number, line[2:]
            elif not is_output:
                yield number, re.sub(r"(^|\s)#.*", "", line)
        else:
            for code in re.findall(r"`([^`]+)`", line):
                yield number, code


def check_commands(path, lines, gstrace):
    for number, code in pieces_of_code(lines):
        for part in re.split(r"[;|&]|\$\(", re.sub(r"'[^']*'", "", code)):
            match = re.match(r"^\s*\"?(?:sudo )?(?:\S*/)?gstrace\s+([\w-]+)(.*)$", part)
            if not match:
                # An option that stands alone is one of some command.
                bare = re.match(r"^(--[a-z][\w-]*)", part)
                if bare and path not in OTHERS_OPTIONS:
                    if not any(gstrace.has_option(c, bare.group(1)) for c in gstrace.commands):
                        complain(path, number, "no command has an option %s" % bare.group(1))
                continue
            command, rest = match.groups()
            if command.startswith("-"):
                if command not in ("--help", "--version"):
                    complain(path, number, "gstrace has no %s" % command)
                continue
            if command.isupper() or command in NO_COMMANDS:
                continue
            if command not in gstrace.commands:
                complain(path, number, "gstrace has no command %s" % command)
                continue
            # What stands behind -- is somebody else's command line.
            for option in re.findall(r"(?<![\w-])(--?[a-z][\w-]*)", re.split(r"\s--(?:\s|$)", rest)[0]):
                if not gstrace.has_option(command, option):
                    complain(path, number, "gstrace %s has no option %s" % (command, option))


def check_findings(path, lines, gstrace):
    """The README's table of findings has all there are: a wrong --only lists them."""
    known = re.findall(r"^  ([a-z-]+)$", gstrace.run(["analyze", "--only=no-such-finding", "x.gst"]), re.M)
    said = re.findall(r"^\| `([a-z]+-[a-z-]+)` \|", "\n".join(lines), re.M)
    for name in sorted(set(known) ^ set(said)):
        complain(path, 1, "the table of findings %s: %s" % ("lacks" if name in known else "has one too many", name))


def outputs_of(gstrace, line):
    command, _, pattern = COMMAND.match(line).group(1).partition(" | grep -E ")
    now = gstrace.run(shlex.split(command)).rstrip("\n").split("\n")
    if pattern:
        now = [n for n in now if re.search(shlex.split(pattern)[0], n)]
    return now


def check_outputs(path, lines, gstrace):
    """Returns the lines with each output as it is now."""
    out = []
    i = 0
    in_fence = False
    while i < len(lines):
        line = lines[i]
        out.append(line)
        i += 1
        if FENCE.match(line):
            in_fence = not in_fence
        if not in_fence or not COMMAND.match(line):
            continue
        begin = i
        while i < len(lines) and not FENCE.match(lines[i]) and not COMMAND.match(lines[i]):
            i += 1
        said = lines[begin:i]
        now = outputs_of(gstrace, line)
        if said and said[-1] == "...":
            now = now[: len(said) - 1] + ["..."]
        if said != now:
            at = 0
            while at < min(len(said), len(now)) and said[at] == now[at]:
                at += 1
            complain(path, begin + at + 1, "%s prints something else:" % line[2:])
            complain(path, begin + at + 1, "  here: %s" % (said[at] if at < len(said) else "(the end)"))
            complain(path, begin + at + 1, "  now : %s" % (now[at] if at < len(now) else "(the end)"))
        out.extend(now)
    return out


def all_files():
    done = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], stdout=subprocess.PIPE, check=True
    )
    return [f for f in done.stdout.decode().split("\n") if f and os.path.exists(f)]


def main():
    parser = argparse.ArgumentParser(usage="check_docs.py [--update] [--gstrace GSTRACE] [FILE.md ...]")
    parser.add_argument("--gstrace")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("files", nargs="*")
    args = parser.parse_args()
    everything = all_files()
    tree = Tree(everything)
    files = [os.path.normpath(f) for f in args.files] or [f for f in everything if f.endswith(".md")]
    gstrace = Gstrace(os.path.abspath(args.gstrace)) if args.gstrace else None
    for path in files:
        with open(path, encoding="utf-8") as f:
            lines = f.read().split("\n")
        if gstrace:
            before = len(problems)
            new = check_outputs(path, lines, gstrace)
            if args.update and new != lines:
                del problems[before:]
                lines = new
                with open(path, "w", encoding="utf-8") as f:
                    f.write("\n".join(lines))
                print("check_docs: %s rewritten" % path)
            check_commands(path, lines, gstrace)
            if path == "README.md":
                check_findings(path, lines, gstrace)
        check_links(path, lines)
        check_names(path, lines, tree)
    for problem in problems:
        print(problem)
    if problems or not files:
        print("check_docs: %d problems in %d documents" % (len(problems), len(files)))
        return 1
    print("check_docs: ok")
    return 0


sys.exit(main())
