"""openai-python over chats and Responses: one class for each, with the same methods."""

import base64
from dataclasses import dataclass

from openai import AsyncOpenAI, pydantic_function_tool
from pydantic import BaseModel

from gateway import API_KEY, BASE_URL
from validation import each_valid, valid

ROUNDS_MAX = 5
QUESTION = "What is that?"
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
PICTURE = "data:image/png;base64," + base64.b64encode(PNG).decode()
openai = AsyncOpenAI(api_key=API_KEY, base_url=BASE_URL)


class Answer(BaseModel):
    city: str
    celsius: int


class City(BaseModel):
    city: str


@dataclass
class Whole:
    text: str
    tokens: int
    finish: str


def weather(arguments):
    return f"sunny in {City.model_validate_json(arguments).city}"


def user(content):
    return [{"role": "user", "content": content}]


class Chat:
    id = "python-chat"
    TOOL = pydantic_function_tool(City, name="weather", description="Tells the weather of a city.")

    async def plain(self, model, **options):
        return self._whole(await self._create(model, user("Go."), **options))

    async def stream(self, model):
        return self._whole(await self._streamed(model, user("Go.")))

    async def read(self, model, **options):
        asked = openai.with_options(**options).chat.completions.create(
            model=model, messages=user("Go."), stream=True
        )
        async with await asked as stream:
            async for chunk in each_valid(stream):
                if chunk.choices and chunk.choices[0].delta.content:
                    yield chunk.choices[0].delta.content

    async def rounds(self, model, streamed):
        messages = user("Go.")
        ask = self._streamed if streamed else self._parsed
        for _ in range(ROUNDS_MAX):
            message = (await ask(model, messages, tools=[self.TOOL])).choices[0].message
            if not message.tool_calls:
                return message.content
            messages.append(message)
            for call in message.tool_calls:
                content = weather(call.function.arguments)
                messages.append({"role": "tool", "tool_call_id": call.id, "content": content})
        raise AssertionError("the calls do not end")

    async def turns(self, model):
        messages = user("Go.")
        first = await self._create(model, messages)
        second = await self._create(model, [*messages, first.choices[0].message, *user("Go on.")])
        return second.choices[0].message.content

    async def schema(self, model):
        completion = await self._parsed(model, user("Go."), response_format=Answer)
        return completion.choices[0].message.parsed

    async def picture(self, model):
        content = [{"type": "text", "text": QUESTION}, {"type": "image_url", "image_url": {"url": PICTURE}}]
        return (await self._create(model, user(content))).choices[0].message.content

    async def _create(self, model, messages, **options):
        return valid(await openai.with_options(**options).chat.completions.create(model=model, messages=messages))

    async def _parsed(self, model, messages, **more):
        return valid(await openai.chat.completions.parse(model=model, messages=messages, **more))

    async def _streamed(self, model, messages, **more):
        asked = openai.chat.completions.stream(
            model=model, messages=messages, stream_options={"include_usage": True}, **more
        )
        async with asked as stream:
            async for event in stream:
                if event.type == "chunk":
                    valid(event.chunk)
            return valid(await stream.get_final_completion())

    def _whole(self, completion):
        choice = completion.choices[0]
        return Whole(choice.message.content, completion.usage.total_tokens, choice.finish_reason)


class Responses:
    id = "python-responses"
    TOOL = {
        "type": "function",
        "name": "weather",
        "description": "Tells the weather of a city.",
        "parameters": Chat.TOOL["function"]["parameters"],
        "strict": True,
    }

    async def plain(self, model, **options):
        return self._whole(await self._create(model, "Go.", **options))

    async def stream(self, model):
        return self._whole(await self._streamed(model, "Go."))

    async def read(self, model, **options):
        asked = openai.with_options(**options).responses.create(model=model, input="Go.", stream=True)
        async with await asked as stream:
            async for event in each_valid(stream):
                if event.type == "response.output_text.delta":
                    yield event.delta

    async def rounds(self, model, streamed):
        messages = user("Go.")
        ask = self._streamed if streamed else self._parsed
        for _ in range(ROUNDS_MAX):
            response = await ask(model, messages, tools=[self.TOOL])
            calls = [item for item in response.output if item.type == "function_call"]
            if not calls:
                return response.output_text
            messages += response.output
            for call in calls:
                output = weather(call.arguments)
                messages.append({"type": "function_call_output", "call_id": call.call_id, "output": output})
        raise AssertionError("the calls do not end")

    async def turns(self, model):
        first = await self._create(model, "Go.")
        second = await self._create(model, [*user("Go."), *first.output, *user("Go on.")])
        return second.output_text

    async def schema(self, model):
        return (await self._parsed(model, "Go.", text_format=Answer)).output_parsed

    async def picture(self, model):
        content = [
            {"type": "input_text", "text": QUESTION},
            {"type": "input_image", "image_url": PICTURE, "detail": "auto"},
        ]
        return (await self._create(model, user(content))).output_text

    async def _create(self, model, given, **options):
        return valid(await openai.with_options(**options).responses.create(model=model, input=given))

    async def _parsed(self, model, given, **more):
        return valid(await openai.responses.parse(model=model, input=given, **more))

    async def _streamed(self, model, given, **more):
        async with openai.responses.stream(model=model, input=given, **more) as stream:
            async for event in each_valid(stream):
                assert event.type != "error"
            return valid(await stream.get_final_response())

    def _whole(self, response):
        finish = "stop" if response.status == "completed" else response.status
        return Whole(response.output_text, response.usage.total_tokens, finish)
