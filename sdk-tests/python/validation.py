"""Validation of received objects against the types that the SDK gives them.

The SDK builds its objects without a check, so whatever was received is in them, under its own name.
"""

from openai.types.chat import ParsedChatCompletion

# The SDK itself adds what it parsed, of a type that the completion's does not know.
PARSED = {"choices": {"__all__": {"message": {"parsed"}}}}


def valid(received):
    """Returns an object after a strict check of all that was received for it."""
    exclude = PARSED if isinstance(received, ParsedChatCompletion) else None
    as_received = received.model_dump(by_alias=True, exclude_unset=True, exclude=exclude, warnings=False)
    type(received).model_validate(as_received, strict=True)
    return received


async def each_valid(stream):
    async for received in stream:
        yield valid(received)
