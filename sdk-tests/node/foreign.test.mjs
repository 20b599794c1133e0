// The tool loop of the official Node SDK, and of every other client, over providers with other APIs than OpenAI's.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import OpenAI from "openai";
import { clients } from "./clients.mjs";
import { apiKey, baseURL } from "./gateway.mjs";

const client = new OpenAI({ apiKey, baseURL, maxRetries: 0 });
const weather = {
  type: "function",
  function: {
    name: "weather",
    description: "Tells the weather of a city.",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    parse: JSON.parse,
    function: ({ city }) => `sunny in ${city}`,
  },
};

const dialects = ["anthropic", "gemini", "cohere", "ollama", "azure", "vertex", "vertex-claude", "bedrock"];
for (const dialect of dialects) {
  test(`a stream of ${dialect}'s calls two tools, and what they say is answered`, async () => {
    const runner = client.chat.completions.runTools({
      model: `foreign/${dialect}`,
      messages: [{ role: "user", content: "How is the weather in Ulm and Bonn?" }],
      tools: [weather],
      stream: true,
    });
    assert.equal(await runner.finalContent(), "It is sunny in Ulm, sunny in Bonn");
    const asked = runner.allChatCompletions();
    assert.equal(asked.length, 2);
    assert.equal(asked[0].choices[0].finish_reason, "tool_calls");
    assert.equal(asked[0].choices[0].message.tool_calls.length, 2);
    assert.equal(asked[1].choices[0].finish_reason, "stop");
    assert.equal((await runner.totalUsage()).total_tokens, 58);
  });
}

for (const [name, each] of Object.entries(clients)) {
  describe(name, { concurrency: true }, () => {
    for (const dialect of dialects) {
      test(`two calls at once of ${dialect} are answered`, async () => {
        assert.equal(await each.rounds(`foreign/${dialect}`), "It is sunny in Ulm, sunny in Bonn");
      });
    }
  });
}
