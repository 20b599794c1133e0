// The official Node SDK with its default retries against providers that fail every time: how often it asks,
// and what the gateway tells of its tries at the provider each time.
import assert from "node:assert/strict";
import { test } from "node:test";
import OpenAI from "openai";
import { apiKey, baseURL } from "./gateway.mjs";

const messages = [{ role: "user", content: "Tell me something." }];

for (const [model, requests, tries, pauseMillis] of [
  ["test/unauthorized", 1, 1, 0],
  ["test/context", 1, 1, 0],
  ["test/rate-limited-soon", 3, 3, 3000],
  ["test/broken", 3, 6, 0],
]) {
  test(`${model} is asked for ${requests} times and tried ${tries} times`, async () => {
    const answers = [];
    const client = new OpenAI({
      apiKey,
      baseURL,
      fetch: async (...request) => {
        const at = performance.now();
        const response = await fetch(...request);
        answers.push({ at, tries: (await response.clone().json()).error.details.attempts.length });
        return response;
      },
    });

    const error = await client.chat.completions.create({ model, messages }).catch((e) => e);

    assert.ok(error instanceof OpenAI.APIError, String(error));
    assert.equal(answers.length, requests);
    assert.equal(answers.reduce((sum, each) => sum + each.tries, 0), tries);
    for (let i = 1; i < answers.length; i++) {
      assert.ok(answers[i].at - answers[i - 1].at >= pauseMillis);
    }
  });
}
