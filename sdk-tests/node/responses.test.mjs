// Responses of the official Node SDK, plain, streamed, and through its helper.
import assert from "node:assert/strict";
import { test } from "node:test";
import OpenAI from "openai";
import { apiKey, baseURL } from "./gateway.mjs";

const client = new OpenAI({ apiKey, baseURL, maxRetries: 0 });
const input = "Tell me something.";
const tools = [
  { type: "function", name: "weather", parameters: { type: "object", properties: {} }, strict: false },
];

test("a plain response has text, usage and cost", async () => {
  const { data, response } = await client.responses
    .create({ model: "test/chat", input, instructions: "Be brief." })
    .withResponse();
  assert.equal(data.object, "response");
  assert.equal(data.status, "completed");
  assert.match(data.id, /^resp_/);
  assert.equal(data.provider, "mock");
  assert.ok(data.output_text.length > 0);
  assert.equal(data.usage.total_tokens, data.usage.input_tokens + data.usage.output_tokens);
  assert.equal(response.headers.get("x-llm-cost-micro"), String(data.usage.x_llm_cost_micro));
});

test("a stream has OpenAI's events in OpenAI's order and the same text", async () => {
  const stream = await client.responses.create({ model: "test/chat", input, stream: true });
  const types = [];
  let text = "";
  let last = null;
  for await (const event of stream) {
    assert.equal(event.sequence_number, types.length);
    types.push(event.type);
    text += event.type === "response.output_text.delta" ? event.delta : "";
    last = event;
  }
  const plain = await client.responses.create({ model: "test/chat", input });
  assert.deepEqual(types.filter((type) => type !== "response.output_text.delta"), [
    "response.created",
    "response.output_item.added",
    "response.content_part.added",
    "response.output_text.done",
    "response.content_part.done",
    "response.output_item.done",
    "response.completed",
  ]);
  assert.equal(text, plain.output_text);
  assert.equal(last.response.usage.output_tokens, plain.usage.output_tokens);
});

test("a client that does not tell what it is gets the listed events", async () => {
  const response = await fetch(`${baseURL}/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "test/chat", input, stream: true }),
  });
  const types = [...(await response.text()).matchAll(/^data: \{"type":"([a-z_.]+)"/gm)].map(([, type]) => type);
  assert.equal(types[0], "response.created");
  assert.equal(types.at(-1), "response.completed");
  assert.ok(types.slice(1, -1).every((type) => type === "response.output_text.delta"));
});

test("the helper's snapshots grow to the final response", async () => {
  const stream = client.responses.stream({ model: "test/chat", input });
  let snapshot = "";
  stream.on("response.output_text.delta", (event) => (snapshot = event.snapshot));
  const response = await stream.finalResponse();
  assert.ok(response.output_text.length > 0);
  assert.equal(response.output_text, snapshot);
  assert.ok(response.usage.x_llm_cost_micro > 0);
});

test("the helper finds a tool call, and its result is accepted", async () => {
  const called = await client.responses.stream({ model: "test/tool", input, tools }).finalResponse();
  const call = called.output.find((item) => item.type === "function_call");
  assert.equal(call.name, "weather");
  assert.doesNotThrow(() => JSON.parse(call.arguments));
  const answer = await client.responses.create({
    model: "test/chat",
    input: [
      { role: "user", content: input },
      ...called.output,
      { type: "function_call_output", call_id: call.call_id, output: '{"celsius":21}' },
    ],
    tools,
  });
  assert.ok(answer.output_text.length > 0);
});

test("an error in a stream is thrown with its code", async () => {
  const stream = await client.responses.create({ model: "test/error-midway", input, stream: true });
  let events = 0;
  await assert.rejects(
    async () => {
      for await (const _ of stream) {
        events += 1;
      }
    },
    (error) => error.code === "stream_interrupted" && error.error.details.usage.x_llm_cost_micro > 0,
  );
  assert.ok(events > 1);
});

test("parameters that need a stored response are refused", async () => {
  await assert.rejects(
    client.responses.create({ model: "test/chat", input, previous_response_id: "resp_1" }),
    (error) => error.status === 400 && error.param === "previous_response_id",
  );
});
