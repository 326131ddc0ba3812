"""Several fishbones at once on one fresh data folder: each of them ends well."""

import json
import os
import subprocess
from pathlib import Path

from tests.acceptance.conftest import FISHBONE, SHIPPED
from tests.acceptance.test_truth import INCIDENT, without_run


def test_two_replays_at_once_on_a_fresh_data_folder_both_report(tmp_path: Path) -> None:
    home = {k: v for k, v in os.environ.items() if not k.startswith("FISHBONE_")} | {
        "FISHBONE_DATA": str(tmp_path / "data of two")
    }
    outs = [tmp_path / "a", tmp_path / "b"]
    running = [
        subprocess.Popen(
            [FISHBONE, "replay", SHIPPED / INCIDENT, "--out", out], env=home, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        for out in outs
    ]  # fmt: skip
    ended = [(process.communicate(timeout=240), process.returncode) for process in running]
    assert [code for _, code in ended] == [0, 0], [streams[1][-600:] for streams, _ in ended]
    assert without_run(outs[0]) == without_run(outs[1])
    listed = subprocess.run([FISHBONE, "incidents"], env=home, capture_output=True, text=True, check=True, timeout=120)
    incident = json.loads((outs[0] / "report.json").read_text())["incident"]["id"]
    (line,) = [line for line in listed.stdout.splitlines() if incident in line]
    assert line.split()[1] == "2"  # one report for each of the two, in versions
