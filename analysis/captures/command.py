"""What a command line asks: the program and its arguments, inside which container, through which filters."""

import re
import shlex
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*=")
_WRAPPERS: Final = {"sudo", "time", "watch", "timeout", "env", "nice", "ionice", "stdbuf", "command", "exec", "nohup"}
_TAKE_VALUE: Final = {
    "-n", "-u", "-w", "-e", "-c", "-l", "-p", "-i", "-f", "--namespace", "--user", "--container", "--context", "--env",
    "--workdir", "--kubeconfig", "--host", "-H", "--project-name", "--file",
}  # fmt: skip
_NODES: Final = ("node", "nodes", "no")
_FEEDERS: Final = ("echo", "printf", "yes", "true", ":")
_OF_CONTAINER: Final = re.compile(r"\$\((?:sudo )?(?:docker|podman|nerdctl) (?:container )?inspect [^()]*?([\w.-]+)\)")
_TAIL: Final = re.compile(r"\s+#\s+(.*)$")


@dataclass(frozen=True)
class Command:
    """A command line, taken apart."""

    line: str = ""  # as it was typed
    words: tuple[str, ...] = ()  # program first, without wrappers such as sudo or docker exec
    filters: tuple[str, ...] = ()  # the programs behind the pipes
    inside: str = ""  # entity of the container or pod it ran in
    host: str = ""  # name in the prompt, or of ssh
    comment: str = ""  # behind the command

    @property
    def program(self) -> str:
        """The program's name without its folder."""
        return PurePosixPath(self.words[0]).name if self.words else ""

    @property
    def plain(self) -> str:
        """Program and arguments that are no options: what a parser is looked up by."""
        return " ".join((self.program, *operands(self.words[1:])))

    def has(self, *options: str) -> bool:
        """Whether one of these options or words was given."""
        return any(word in options for word in self.words[1:])

    def value(self, *options: str) -> str:
        """What follows an option, as its own word or behind `=`."""
        for at, word in enumerate(self.words):
            name, equals, behind = word.partition("=")
            if name in options:
                return behind if equals else self.words[at + 1] if at + 1 < len(self.words) else ""
        return ""

    def paths(self) -> tuple[str, ...]:
        """The operands that look like files."""
        return tuple(word for word in operands(self.words[1:]) if "/" in word or "." in word)


def operands(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words that are neither options nor their values."""
    found: list[str] = []
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word.startswith("-") and len(word) > 1:
            skip = word in _TAKE_VALUE
        else:
            found.append(word)
    return tuple(found)


def parse_command(line: str, host: str = "") -> Command:
    """The command line taken apart; what cannot be split stays one word."""
    comment = match[1] if (match := _TAIL.search(line)) else ""
    whose = _OF_CONTAINER.search(line)  # `/proc/$(docker inspect -f '{{.State.Pid}}' web)/limits`
    stages = _stages(_OF_CONTAINER.sub("PID", line[: match.start()] if match else line))
    while len(stages) > 1 and stages[0] and stages[0][0] in _FEEDERS:  # `echo | openssl s_client`
        stages = stages[1:]
    first, inside, remote = _unwrapped(stages[0] if stages else ())
    filters = tuple(PurePosixPath(stage[0]).name for stage in stages[1:] if stage)
    inside = inside or (f"container:{whose[1]}" if whose else "")
    return Command(line.strip(), first, filters, inside, remote or host, comment)


def _stages(line: str) -> list[tuple[str, ...]]:
    """The programs of the first pipeline of the line whose output can be seen, each as its words."""
    pipelines: list[list[list[str]]] = [[[]]]
    for word in _words(line):
        if word == "|":
            pipelines[-1].append([])
        elif word in (";", "&&", "||", "&"):
            pipelines.append([[]])
        else:
            pipelines[-1][-1].append(word)
    shown = [each for each in pipelines if each[0] and not _is_silent(each[-1])]
    return [tuple(stage) for stage in (shown or pipelines)[0]]


def _is_silent(words: list[str]) -> bool:
    """Whether what the program prints goes into a file: then another one of the line has printed what is there."""
    return any(word in (">", ">>", "1>") for word in words[:-1]) or any(re.fullmatch(r">>?[^&\s].*", w) for w in words)


def _words(line: str) -> list[str]:
    lexer = shlex.shlex(re.sub(r"\d?>\s*(?:&\d|/dev/null)", "", line), posix=True, punctuation_chars="|;&")
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        return list(lexer)
    except ValueError:  # an open quote: people paste such lines
        return line.split()


def _unwrapped(words: tuple[str, ...]) -> tuple[tuple[str, ...], str, str]:
    """The words without what merely says where to run them, the entity they ran in, and the host."""
    inside = host = ""
    while words:
        name = PurePosixPath(words[0]).name
        if _ASSIGNMENT.match(words[0]) or name in _WRAPPERS:
            rest = _after_options(words[1:]) if name in _WRAPPERS else words[1:]
            if not rest:  # env alone prints the environment
                break
            words = rest
        elif (place := _exec(words)) is not None:
            inside, words = place
        elif name == "ssh" and len(operands(words[1:])) > 1:
            host, words = _ssh(words)
        elif (shell := _node_shell(words)) is not None:
            host, words = shell
        elif host and name == "chroot" and len(words) > 2:  # `chroot /host dmesg`, of a node's debugging pod
            words = words[2:]
        elif name in ("sh", "bash", "ash") and "-c" in words[:-1]:
            words = (_stages(words[words.index("-c") + 1]) or [()])[0]
        else:
            break
    return words, inside, host


def _after_options(words: tuple[str, ...]) -> tuple[str, ...]:
    """Skips a wrapper's own options and a leading number (timeout 5)."""
    while words and (words[0].startswith("-") or re.fullmatch(r"\d+[smh]?", words[0])):
        words = words[2:] if words[0] in ("-u", "-n") and len(words) > 1 else words[1:]
    return words


def _exec(words: tuple[str, ...]) -> tuple[str, tuple[str, ...]] | None:
    """`docker exec web df -h` -> (`container:web`, (`df`, `-h`)); None where it is no exec."""
    name = PurePosixPath(words[0]).name
    if name not in ("docker", "podman", "nerdctl", "kubectl", "docker-compose", "oc", "k", "crictl"):
        return None
    head = words[1:6]
    if "exec" not in head:
        return None
    if "compose" not in head and head[0] not in ("exec", "container") and name in ("docker", "podman"):
        return None
    rest = words[words.index("exec") + 1 :]
    container = _option(rest, "-c", "--container")
    while rest and rest[0].startswith("-"):
        rest = rest[2:] if rest[0] in _TAKE_VALUE else rest[1:]
    target, rest = (rest[0], rest[1:]) if rest else ("", ())
    if name in ("kubectl", "oc", "k"):
        rest = rest[rest.index("--") + 1 :] if "--" in rest else rest
        place = f"container:{container}" if container else f"pod:{target.rpartition('/')[2]}"
    else:
        place = f"container:{target}"
    return (place, rest) if target else None


def _node_shell(words: tuple[str, ...]) -> tuple[str, tuple[str, ...]] | None:
    """`kubectl debug node/w1 -it --image=busybox -- dmesg` -> (`w1`, (`dmesg`,)); None where it opens no node."""
    if PurePosixPath(words[0]).name not in ("kubectl", "oc", "k") or "--" not in words:
        return None
    at = words.index("--")
    asked = operands(words[1:at])
    if asked[:1] == ("debug",):
        node = next((name for kind, _, name in (word.partition("/") for word in asked[1:]) if kind in _NODES), "")
    else:
        node = asked[1] if asked[:1] in (("node-shell",), ("node_shell",)) and len(asked) > 1 else ""
    rest = words[at + 1 :]
    return (node, rest) if node and rest else None


def _option(words: tuple[str, ...], *names: str) -> str:
    return next((words[at + 1] for at, word in enumerate(words[:-1]) if word in names), "")


def _ssh(words: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    rest = words[1:]
    while rest and rest[0].startswith("-"):
        rest = rest[2:] if rest[0] in ("-p", "-i", "-o", "-l") else rest[1:]
    target, rest = (rest[0], rest[1:]) if rest else ("", ())
    return target.rpartition("@")[2], (tuple(_words(rest[0])) if len(rest) == 1 else rest)
