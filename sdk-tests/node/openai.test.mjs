// The official Node SDK, used as its documentation says.
import assert from "node:assert/strict";
import { test } from "node:test";
import OpenAI from "openai";
import { apiKey, baseURL } from "./gateway.mjs";

const client = new OpenAI({ apiKey, baseURL });
const messages = [{ role: "user", content: "Tell me something." }];

test("a plain completion has text, usage and cost", async () => {
  const { data, response } = await client.chat.completions
    .create({ model: "test/chat", messages })
    .withResponse();
  assert.equal(data.object, "chat.completion");
  assert.equal(data.model, "test/chat");
  assert.equal(data.provider, "mock");
  assert.ok(data.choices[0].message.content.length > 0);
  assert.equal(data.choices[0].finish_reason, "stop");
  assert.equal(data.usage.total_tokens, data.usage.prompt_tokens + data.usage.completion_tokens);
  assert.ok(data.usage.x_llm_cost_micro > 0);
  assert.equal(response.headers.get("x-llm-cost-micro"), String(data.usage.x_llm_cost_micro));
  assert.match(response.headers.get("x-request-id"), /^req_/);
  assert.match(response.headers.get("x-llm-routing-reason"), /strategy=priority selected=mock/);
  assert.match(response.headers.get("server-timing"), /gw;dur=[\d.]+, upstream;dur=[\d.]+/);
});

test("a stream has the text of the plain reply and ends with usage", async () => {
  const stream = await client.chat.completions.create({ model: "test/chat", messages, stream: true });
  let text = "";
  let usage = null;
  let first = null;
  for await (const chunk of stream) {
    first ??= chunk;
    assert.equal(chunk.object, "chat.completion.chunk");
    text += chunk.choices[0]?.delta.content ?? "";
    if (chunk.usage) {
      assert.deepEqual(chunk.choices, []);
      assert.equal(usage, null);
      usage = chunk.usage;
    }
  }
  const plain = await client.chat.completions.create({ model: "test/chat", messages });
  assert.equal(first.choices[0].delta.role, "assistant");
  assert.equal(first.choices[0].delta.content, "");
  assert.equal(text, plain.choices[0].message.content);
  assert.equal(usage.completion_tokens, plain.usage.completion_tokens);
  assert.ok(usage.x_llm_cost_micro > 0);
});

test("the accumulating helper reaches the final completion", async () => {
  const runner = client.chat.completions.stream({ model: "test/chat", messages });
  const completion = await runner.finalChatCompletion();
  assert.ok(completion.choices[0].message.content.length > 0);
  assert.ok((await runner.totalUsage()).total_tokens > 0);
});

test("the accumulating helper collects a tool call", async () => {
  const tools = [
    { type: "function", function: { name: "weather", parameters: { type: "object", properties: {} } } },
  ];
  const runner = client.chat.completions.stream({ model: "test/tool", messages, tools });
  const completion = await runner.finalChatCompletion();
  assert.equal(completion.choices[0].finish_reason, "tool_calls");
  const call = completion.choices[0].message.tool_calls[0];
  assert.equal(call.type, "function");
  assert.doesNotThrow(() => JSON.parse(call.function.arguments));
});

test("missing usage is estimated and flagged", async () => {
  const stream = await client.chat.completions.create({ model: "test/no-usage", messages, stream: true });
  let usage = null;
  for await (const chunk of stream) {
    usage = chunk.usage ?? usage;
  }
  assert.equal(usage.x_llm_usage_estimated, true);
  assert.ok(usage.x_llm_cost_micro > 0);
});

test("errors are typed and carry the request id", async () => {
  const cases = [
    [{ model: "test/chat", messages: "no" }, OpenAI.BadRequestError, 400, "validation_failed", "messages"],
    [{ model: "test/absent", messages }, OpenAI.NotFoundError, 404, "model_not_found", "model"],
    [{ model: "test/chat", messages, n: 2 }, OpenAI.BadRequestError, 400, "validation_failed", "n"],
    [{ model: "test/context", messages }, OpenAI.BadRequestError, 400, "validation_failed", null],
    [{ model: "test/unauthorized", messages }, OpenAI.InternalServerError, 502, "provider_error", null],
  ];
  for (const [body, type, status, code, param] of cases) {
    const error = await client.chat.completions.create(body).catch((e) => e);
    assert.ok(error instanceof type, `${code}: ${error}`);
    assert.equal(error.status, status);
    assert.equal(error.code, code);
    assert.match(error.requestID, /^req_/);
    if (param) {
      assert.equal(error.param, param);
    }
  }
});

test("a wrong key is an authentication error", async () => {
  const stranger = new OpenAI({ apiKey: "sk-llm-nonsense", baseURL });
  const error = await stranger.chat.completions.create({ model: "test/chat", messages }).catch((e) => e);
  assert.ok(error instanceof OpenAI.AuthenticationError);
  assert.equal(error.code, "invalid_api_key");
});

test("an exhausted rate limit of the provider is a rate limit error with Retry-After", async () => {
  const patient = new OpenAI({ apiKey, baseURL, maxRetries: 0 });
  const error = await patient.chat.completions.create({ model: "test/rate-limited", messages }).catch((e) => e);
  assert.ok(error instanceof OpenAI.RateLimitError);
  assert.equal(error.code, "provider_rate_limited");
  assert.ok(Number(error.headers.get("retry-after")) >= 1);
});

for (const [model, code] of [
  ["test/error-midway", "stream_interrupted"],
  ["test/cut", "provider_disconnect"],
]) {
  test(`a stream that breaks ends as an error: ${code}`, async () => {
    const stream = await client.chat.completions.create({ model, messages, stream: true });
    let text = "";
    const error = await (async () => {
      for await (const chunk of stream) {
        text += chunk.choices[0]?.delta.content ?? "";
      }
    })().catch((e) => e);
    assert.ok(error instanceof OpenAI.APIError, String(error));
    assert.equal(error.code, code);
    assert.ok(text.length > 0);
  });
}

test("an aborted stream ends at once", async () => {
  const stream = await client.chat.completions.create({ model: "test/long", messages, stream: true });
  let chunks = 0;
  for await (const _ of stream) {
    if (++chunks === 5) {
      stream.controller.abort();
    }
  }
  assert.ok(chunks < 100);
});

test("a completion has the same text plain and streamed, and ends with usage", async () => {
  const ask = { model: "test/completion", prompt: "Once upon a time" };
  const plain = await client.completions.create(ask);
  assert.equal(plain.object, "text_completion");
  assert.equal(plain.provider, "mock");
  assert.ok(plain.usage.x_llm_cost_micro > 0);
  let text = "";
  let usage = null;
  for await (const chunk of await client.completions.create({ ...ask, stream: true })) {
    assert.equal(chunk.object, "text_completion");
    assert.equal(chunk.model, "test/completion");
    text += chunk.choices[0]?.text ?? "";
    usage = chunk.usage ?? usage;
  }
  assert.equal(text, plain.choices[0].text);
  assert.equal(usage.completion_tokens, plain.usage.completion_tokens);
  const error = await client.completions.create({ ...ask, n: 3, best_of: 3 }).catch((e) => e);
  assert.equal(error.param, "n");
});

test("embeddings are numbers in either encoding", async () => {
  const ask = { model: "test/embedding", input: ["a", "b", "a"], dimensions: 8 };
  const usual = await client.embeddings.create(ask); // base64 on the wire
  const numbers = await client.embeddings.create({ ...ask, encoding_format: "float" });
  assert.equal(usual.object, "list");
  assert.equal(usual.model, "test/embedding");
  assert.deepEqual(usual.data.map((each) => each.index), [0, 1, 2]);
  assert.equal(usual.data[0].embedding.length, 8);
  assert.deepEqual(usual.data[2].embedding, usual.data[0].embedding);
  for (const [i, each] of numbers.data.entries()) {
    assert.deepEqual(each.embedding.map(Math.fround), [...usual.data[i].embedding].map(Math.fround));
  }
  assert.ok(usual.usage.prompt_tokens > 0);
  assert.equal(usual.usage.total_tokens, usual.usage.prompt_tokens);
  assert.equal(usual.usage.x_llm_cost_micro, 1);
});

test("errors of embeddings name the parameter", async () => {
  const cases = [
    [{ model: "test/embedding", input: "" }, "input"],
    [{ model: "test/embedding", input: ["a", 1] }, "input[1]"],
    [{ model: "test/chat", input: "a" }, "model"],
  ];
  for (const [body, param] of cases) {
    const error = await client.embeddings.create(body).catch((e) => e);
    assert.ok(error instanceof OpenAI.BadRequestError, String(error));
    assert.equal(error.code, "validation_failed");
    assert.equal(error.param, param);
  }
});

test("models are listed and retrieved", async () => {
  const ids = [];
  for await (const model of client.models.list()) {
    ids.push(model.id);
  }
  assert.ok(ids.includes("test/chat"));
  const model = await client.models.retrieve("test/chat");
  assert.equal(model.id, "test/chat");
  assert.equal(model.modality, "chat");
});

test("speech has the provider's bytes, and its transcript comes in every format", async () => {
  const said = { model: "test/speech", input: "Say it.", voice: "alloy", response_format: "wav" };
  const { data, response } = await client.audio.speech.create(said).withResponse();
  const bytes = Buffer.from(await data.arrayBuffer());
  assert.equal(response.headers.get("content-type"), "audio/wav");
  assert.equal(response.headers.get("x-llm-cost-micro"), "105");
  assert.equal(bytes.subarray(0, 4).toString(), "RIFF");
  assert.equal(bytes.readUInt32LE(40), bytes.length - 44);
  const again = await client.audio.speech.create(said);
  assert.deepEqual(Buffer.from(await again.arrayBuffer()), bytes);

  const file = () => OpenAI.toFile(bytes, "said.wav");
  const ask = async (more) =>
    client.audio.transcriptions.create({ model: "test/transcription", file: await file(), ...more });
  const plain = await ask({});
  assert.ok(plain.text.length > 0);
  assert.ok(plain.usage.x_llm_cost_micro > 0);
  assert.equal((await ask({ response_format: "verbose_json", timestamp_granularities: ["word"] })).text, plain.text);
  assert.equal((await ask({ response_format: "diarized_json" })).segments[0].speaker, "A");
  assert.equal(typeof (await ask({ response_format: "text" })), "string");
  assert.match(await ask({ response_format: "srt" }), /^1\n00:00:00,000 --> /);
  assert.match(await ask({ response_format: "vtt" }), /^WEBVTT/);

  let text = "";
  let done = null;
  for await (const event of await ask({ stream: true })) {
    text += event.type === "transcript.text.delta" ? event.delta : "";
    done = event.type === "transcript.text.done" ? event : done;
  }
  assert.equal(text, plain.text);
  assert.ok(done.usage.x_llm_cost_micro > 0);
  const error = await ask({ response_format: "xml" }).catch((e) => e);
  assert.ok(error instanceof OpenAI.BadRequestError);
  assert.equal(error.param, "response_format");
});
