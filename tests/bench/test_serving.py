import subprocess
import sys

import pytest

from bench.serving import address


def process(said: str) -> "subprocess.Popen[str]":
    return subprocess.Popen([sys.executable, "-c", f"import sys; sys.stderr.write({said!r})"], stderr=-1, text=True)


def test_the_address_is_in_the_line_that_says_where_the_server_listens() -> None:
    with process("loading\nfishbone serves http://127.0.0.1:4321/incidents, and more\n") as server:
        assert address(server) == "http://127.0.0.1:4321"


def test_a_server_that_ends_without_that_line_ends_the_measurement() -> None:
    with process("no database\n") as server, pytest.raises(SystemExit, match="did not start"):
        address(server)
