// The official Node SDK with its default retries against a provider that always fails: requests of the SDK to the
// gateway, and calls of the provider in total, which the provider counts. The attempts in the gateway's errors add up
// to the same number.
import assert from "node:assert/strict";
import { test } from "node:test";
import OpenAI from "openai";
import { apiKey, baseURL, counts } from "./gateway.mjs";

const messages = [{ role: "user", content: "Tell me something." }];

const calls = async (fault) => (await counts()).asked[`counted/${fault}`] ?? 0;

const reportedAttempts = async (response) => {
  const body = await response.clone().text();
  return body.startsWith("{") ? JSON.parse(body).error.details.attempts.length : 0;
};

for (const [fault, requests, attempts, pauseMillis] of [
  ["credential-refused.counted", 1, 1, 0],
  ["too-long", 1, 1, 0],
  ["content-filtered", 1, 1, 0],
  ["rejected", 1, 1, 0],
  ["limited", 3, 3, 3000],
  ["model-missing", 3, 3, 0],
  ["failing", 3, 6, 0],
  ["disconnected", 3, 6, 0],
  ["silent.counted", 3, 3, 0],
]) {
  test(`${fault}: ${requests} requests, ${attempts} attempts at the provider`, async () => {
    const answers = [];
    const client = new OpenAI({
      apiKey,
      baseURL,
      fetch: async (...request) => {
        const at = performance.now();
        const response = await fetch(...request);
        answers.push({ at, attempts: await reportedAttempts(response) });
        return response;
      },
    });
    const before = await calls(fault);

    const error = await client.chat.completions.create({ model: `counted/${fault}`, messages }).catch((e) => e);

    assert.ok(error instanceof OpenAI.APIError, String(error));
    assert.equal(answers.length, requests);
    assert.equal((await calls(fault)) - before, attempts);
    assert.equal(answers.reduce((sum, each) => sum + each.attempts, 0), attempts);
    for (let i = 1; i < answers.length; i++) {
      assert.ok(answers[i].at - answers[i - 1].at >= pauseMillis);
    }
  });
}

test("a stream that breaks off after content is requested once", async () => {
  const fault = "cut-amid-content";
  const client = new OpenAI({ apiKey, baseURL });
  const before = await calls(fault);
  let text = "";
  const error = await (async () => {
    const stream = await client.chat.completions.create({ model: `counted/${fault}`, messages, stream: true });
    for await (const chunk of stream) text += chunk.choices[0]?.delta?.content ?? "";
  })().catch((e) => e);

  assert.ok(error instanceof OpenAI.APIError, String(error));
  assert.equal(text, "Once");
  assert.equal((await calls(fault)) - before, 1);
});
