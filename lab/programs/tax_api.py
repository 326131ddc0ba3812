"""Tax rates from a file that is mounted into the container."""

import json
import pathlib

import http_app

RATES = pathlib.Path("/etc/tax/rates.json")


def show(path, _):
    return 200, {"rate": rates[path.rsplit("/", 1)[1]]}


if __name__ == "__main__":
    print(f"starting tax-api 1.3.0 rates={RATES}", flush=True)
    rates = json.loads(RATES.read_text())
    http_app.serve("tax-api", {("GET", "/tax/"): show}, "0.0.0.0", 8081)
