"""No test here waits for a pause between attempts."""

from collections.abc import Iterator

import pytest

from tests.acceptance.conftest import cli, inside, running  # noqa: F401  # fixtures
from tests.faults.conftest import data, nursery, ward  # noqa: F401  # fixtures
from tests.models.gateways import hasty


@pytest.fixture(autouse=True)
def no_pauses() -> Iterator[None]:
    with hasty():
        yield
