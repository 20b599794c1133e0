"""The other endpoints, over the bundled mock provider, and the SDK without asyncio."""

import io

from openai import BadRequestError, OpenAI
from pydantic import ValidationError

from clients import PNG, openai, user
from gateway import API_KEY, BASE_URL
from validation import each_valid, valid


async def models():
    listed = [valid(model) async for model in openai.models.list()]
    assert "test/chat" in [model.id for model in listed]
    assert valid(await openai.models.retrieve("test/chat")).id == "test/chat"


async def embeddings_in_both_encodings():
    asked = {"model": "test/embedding", "input": ["a", "b"]}
    usual = valid(await openai.embeddings.create(**asked))
    numbers = valid(await openai.embeddings.create(**asked, encoding_format="float"))
    for one, other in zip(usual.data, numbers.data, strict=True):
        assert all(abs(a - b) < 1e-6 for a, b in zip(one.embedding, other.embedding, strict=True))


async def images():
    drawn = valid(await openai.images.generate(model="test/image", prompt="A gate.", n=2, size="256x256"))
    assert len(drawn.data) == 2
    assert drawn.usage.total_tokens == drawn.usage.input_tokens + drawn.usage.output_tokens


async def edited_image():
    file = ("gate.png", PNG, "image/png")
    assert valid(await openai.images.edit(model="test/image", image=file, prompt="At night.")).data


async def _said():
    said = await openai.audio.speech.create(model="test/speech", input="Say it.", voice="alloy", response_format="wav")
    return said.content


async def speech():
    assert (await _said()).startswith(b"RIFF")


async def _transcript(model="test/transcription", **more):
    file = ("said.wav", io.BytesIO(await _said()))
    return await openai.audio.transcriptions.create(model=model, file=file, **more)


async def transcript():
    assert valid(await _transcript()).text


async def verbose_transcript():
    assert valid(await _transcript("test/whisper", response_format="verbose_json")).segments


async def transcript_with_speakers():
    assert valid(await _transcript(response_format="diarized_json")).segments[0].speaker == "A"


async def streamed_transcript():
    types = [event.type async for event in each_valid(await _transcript(stream=True))]
    assert types[0] == "transcript.text.delta" and types[-1] == "transcript.text.done", types


async def completion():
    assert valid(await openai.completions.create(model="test/completion", prompt="Go.")).choices[0].text


async def streamed_completion_has_one_known_deviation():
    """OpenAI too sends no finish until the end, which its type of a completion does not allow."""
    text = ""
    async for chunk in await openai.completions.create(model="test/completion", prompt="Go.", stream=True):
        try:
            valid(chunk)
        except ValidationError as invalid:
            assert {error["loc"] for error in invalid.errors()} == {("choices", 0, "finish_reason")}
        text += chunk.choices[0].text if chunk.choices else ""
    assert text


async def errors_name_the_parameter():
    try:
        raise AssertionError(await openai.embeddings.create(model="test/embedding", input=""))
    except BadRequestError as error:
        assert (error.code, error.param) == ("validation_failed", "input")


async def without_asyncio():
    client = OpenAI(api_key=API_KEY, base_url=BASE_URL)
    completion = valid(client.chat.completions.create(model="openai/words", messages=user("Go.")))
    with client.responses.stream(model="openai/words", input="Go.") as stream:
        for event in stream:
            valid(event)
        response = valid(stream.get_final_response())
    assert completion.choices[0].message.content == response.output_text


ALL = [
    models,
    embeddings_in_both_encodings,
    images,
    edited_image,
    speech,
    transcript,
    verbose_transcript,
    transcript_with_speakers,
    streamed_transcript,
    completion,
    streamed_completion_has_one_known_deviation,
    errors_name_the_parameter,
    without_asyncio,
]
