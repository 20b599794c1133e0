"""The usual flows of a client, each a coroutine of a client and the names of the models of one dialect."""

import asyncio
import time

from openai import (
    APIError,
    AuthenticationError,
    BadRequestError,
    InternalServerError,
    NotFoundError,
    PermissionDeniedError,
    RateLimitError,
)

from clients import Answer, Whole
from gateway import NARROW_KEY, count

SAID = ", ".join(f"{city}: sunny in {city}" for city in ["Ulm", "Bonn", "Rome", "Oslo", "Kyiv", "Bern"])
RETRY_AFTER_SECONDS = 3
POLLS_MAX = 100
POLL_SECONDS = 0.02


async def read(texts):
    """Returns the text up to the end or the first error, and the error."""
    text = ""
    try:
        async for piece in texts:
            text += piece
        return text, None
    except APIError as error:
        return text, error


async def becomes(of, model):
    """Waits until a model was asked or left once."""
    for _ in range(POLLS_MAX):
        if count(of, model) > 0:
            break
        await asyncio.sleep(POLL_SECONDS)
    assert count(of, model) == 1, (of, model)


async def fails(client, model, wanted, status, code, **options):
    """Expects the same error of a plain and a streamed answer."""
    options = {"max_retries": 0, **options}
    try:
        raise AssertionError(f"no error but {await client.plain(model, **options)}")
    except APIError as error:
        plain = error
    text, streamed = await read(client.read(model, **options))
    assert text == "", text
    for error in (plain, streamed):
        assert type(error) is wanted, repr(error)
        assert (error.status_code, error.code) == (status, code), repr(error)
        assert error.request_id.startswith("req_")


async def breaks(client, model, wanted):
    text, error = await read(client.read(model))
    assert text == wanted, text
    assert error is not None, "the short answer was taken for a whole one"
    assert error.code in ("stream_interrupted", "provider_disconnect"), repr(error)


async def rate_limit_is_waited_out(client, model):
    began = time.monotonic()
    assert (await client.plain(model(f"limited-once.{client.id}"))).text == "served"
    assert time.monotonic() - began >= RETRY_AFTER_SECONDS - 1
    assert count("asked", model(f"limited-once.{client.id}")) == 2


async def failure_is_retried(client, model):
    assert (await client.plain(model(f"failing-twice.{client.id}"))).text == "served"
    assert count("asked", model(f"failing-twice.{client.id}")) == 3


async def plain_answer(client, model):
    assert await client.plain(model("words")) == Whole("One two three four.", 29, "stop")


async def stream(client, model):
    assert await client.stream(model("words")) == Whole("One two three four.", 29, "stop")


async def three_rounds_of_calls(client, model):
    assert await client.rounds(model("rounds"), False) == SAID


async def three_rounds_of_streamed_calls(client, model):
    assert await client.rounds(model("rounds"), True) == SAID


async def second_turn(client, model):
    assert await client.turns(model("turns")) == "Before: Before: nothing.."


async def strict_schema(client, model):
    assert await client.schema(model("schema")) == Answer(city="Ulm", celsius=21)


async def picture(client, model):
    assert await client.picture(model("picture")) == "a picture"


async def refused_value(client, model):
    await fails(client, model("rejected"), BadRequestError, 400, "validation_failed")


async def prompt_that_is_too_long(client, model):
    await fails(client, model("too-long"), BadRequestError, 400, "validation_failed")


async def refused_key_of_the_gateway(client, model):
    await fails(client, model(f"credential-refused.{client.id}"), InternalServerError, 502, "provider_error")


async def refused_model(client, model):
    await fails(client, model(f"model-forbidden.{client.id}"), InternalServerError, 502, "provider_error")


async def model_unknown_to_the_provider(client, model):
    await fails(client, model("model-missing"), InternalServerError, 502, "provider_error")


async def lasting_rate_limit(client, model):
    await fails(client, model("limited"), RateLimitError, 429, "provider_rate_limited")


async def lasting_failure(client, model):
    await fails(client, model("failing"), InternalServerError, 503, "provider_unavailable")


async def stream_that_breaks_off(client, model):
    await breaks(client, model("cut-amid-content"), "Once")
    await breaks(client, model("ended-amid-content"), "Once")


async def stream_that_breaks_off_amid_calls(client, model):
    await breaks(client, model("cut-amid-calls"), "")


async def cancelled_ahead_of_its_text(client, model):
    name = model(f"silent.{client.id}")
    reading = asyncio.ensure_future(read(client.read(name)))
    await becomes("asked", name)
    reading.cancel()
    await asyncio.wait([reading])
    await becomes("left", name)


# The flows that wait come first.
OF_EVERY_DIALECT = [
    rate_limit_is_waited_out,
    failure_is_retried,
    lasting_failure,
    plain_answer,
    stream,
    three_rounds_of_calls,
    three_rounds_of_streamed_calls,
    second_turn,
    strict_schema,
    picture,
    refused_value,
    prompt_that_is_too_long,
    refused_key_of_the_gateway,
    refused_model,
    model_unknown_to_the_provider,
    lasting_rate_limit,
    stream_that_breaks_off,
    stream_that_breaks_off_amid_calls,
    cancelled_ahead_of_its_text,
]


async def wrong_key(client, model):
    await fails(client, model("words"), AuthenticationError, 401, "invalid_api_key", api_key="sk-llm-nonsense")


async def model_that_the_key_may_not_use(client, model):
    await fails(client, model("words"), PermissionDeniedError, 403, "model_not_allowed", api_key=NARROW_KEY)


async def model_that_does_not_exist(client, model):
    await fails(client, model("absent"), NotFoundError, 404, "model_not_found")


async def cancelled_amid_its_text(client, model):
    name = model(f"endless.{client.id}")
    texts = client.read(name)
    for _ in range(3):
        await anext(texts)
    await texts.aclose()
    await becomes("left", name)


OF_ONE_DIALECT = [
    wrong_key,
    model_that_the_key_may_not_use,
    model_that_does_not_exist,
    cancelled_amid_its_text,
]
