"""The gateway under test, as its output tells, and the counts of the scripted provider."""

import json
import os
import re
import urllib.request

_printed = open(os.environ["TOLLGATE_STDOUT"], encoding="utf-8").read()
BASE_URL = re.search(r"^Tollgate serves (\S+)", _printed, re.MULTILINE)[1]
API_KEY = re.search(r"sk-llm-[A-Za-z0-9]+", _printed)[0]
NARROW_KEY = os.environ["TOLLGATE_NARROW_KEY"]


def count(of, model):
    """Returns how often a model was `asked`, or `left` by who asked."""
    with urllib.request.urlopen(f"http://127.0.0.1:{os.environ['PROVIDER_PORT']}/") as response:
        return json.load(response)[of].get(model, 0)


def dialects():
    """Returns the dialects of the scripted provider: the gateway has models of these vendors."""
    request = urllib.request.Request(f"{BASE_URL}/models", headers={"Authorization": f"Bearer {API_KEY}"})
    with urllib.request.urlopen(request) as response:
        names = [model["id"].split("/") for model in json.load(response)["data"]]
    return [vendor for vendor, name in names if name == "words" and vendor != "counted"]
