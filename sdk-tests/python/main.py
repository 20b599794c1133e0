"""Runs all cases at once and prints each; the argument is the number of cases that the run announces."""

import asyncio
import sys
import time
import traceback
from functools import partial

import endpoints
import flows
from clients import Chat, Responses
from gateway import dialects

CONCURRENT_MAX = 16
CASE_SECONDS_MAX = 60


def cases():
    """Returns the name of each case and a function that begins it."""
    hosts = dialects()
    for client in (Chat(), Responses()):
        for flow in flows.OF_ONE_DIALECT:
            yield f"{client.id}: {flow.__name__}", partial(flow, client, "openai/{}".format)
        for flow in flows.OF_EVERY_DIALECT:
            for host in hosts:
                yield f"{client.id}, {host}: {flow.__name__}", partial(flow, client, f"{host}/{{}}".format)
    for endpoint in endpoints.ALL:
        yield endpoint.__name__, endpoint


async def run(name, begin, free):
    async with free:
        began = time.monotonic()
        problem = None
        try:
            await asyncio.wait_for(begin(), CASE_SECONDS_MAX)
        except Exception:  # whatever it is, the other cases go on
            problem = traceback.format_exc()
        print(f"{'✖' if problem else '✔'} {name} ({time.monotonic() - began:.3f} s)")
        return name, problem


async def main(announced):
    free = asyncio.Semaphore(CONCURRENT_MAX)
    began = time.monotonic()
    ended = await asyncio.gather(*(run(name, begin, free) for name, begin in cases()))
    failed = [one for one in ended if one[1]]
    for name, problem in failed:
        print(f"\n✖ {name}\n{problem}")
    print(f"cases {len(ended)}, failed {len(failed)}, {time.monotonic() - began:.0f} s")
    if len(ended) != announced:
        print(f"the run announces {announced} cases")
    return 1 if failed or len(ended) != announced else 0


sys.exit(asyncio.run(main(int(sys.argv[1]))))
