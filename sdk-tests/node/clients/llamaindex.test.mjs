// LlamaIndex's model for OpenAI's API, over chats and Responses.
import { extractText } from "@llamaindex/core/utils";
import { OpenAI, OpenAIResponses } from "@llamaindex/openai";
import { zodTextFormat } from "openai/helpers/zod";
import { z } from "zod";
import { playAll } from "../cases.mjs";
import {
  Answer, City, DESCRIPTION, openaiError, openaiErrors, picture, question, ROUNDS_MAX, textsOf, user, usual, weather,
} from "./common.mjs";

const tools = [{ metadata: { name: "weather", description: DESCRIPTION, parameters: z.toJSONSchema(City) } }];

/** It takes no signal, so that of a case is given to the fetch of its session. */
const sessionOf = (fetch = globalThis.fetch, signal = undefined) => ({
  fetch: (url, init) =>
    fetch(url, signal ? { ...init, signal: AbortSignal.any([init.signal, signal]) } : init),
});

/** Returns the finished calls among a stream's chunks, which repeat them and hold unfinished ones as texts. */
const finished = (chunks) => {
  const calls = new Map();
  for (const one of chunks.flatMap(({ options }) => options?.toolCall ?? [])) {
    if (typeof one.input === "object") calls.set(one.id, one);
  }
  return [...calls.values()];
};

const parsed = (call) => ({ ...call, input: typeof call.input === "string" ? JSON.parse(call.input) : call.input });

const llamaindex = (name, id, Model, { textOf, usageOf, finishOf, schemaOf }) => {
  const modelOf = (model, { fetch, signal, ...options } = {}) =>
    new Model({ model, ...usual, maxRetries: 2, additionalSessionOptions: sessionOf(fetch, signal), ...options });
  const ask = async (model, more) => (await modelOf(model).chat({ messages: user("Go."), ...more })).message;
  const chunksOf = async (model, more) => {
    const chunks = [];
    const asked = { messages: user("Go."), stream: true, ...more };
    for await (const chunk of await modelOf(model).chat(asked)) chunks.push(chunk);
    return chunks;
  };
  const said = (chunks) => chunks.map(textOf).join("");
  const answer = async (model, messages, stream) => {
    if (stream) {
      const chunks = await chunksOf(model, { messages, tools });
      return { text: said(chunks), calls: finished(chunks) };
    }
    const message = await ask(model, { messages, tools });
    return { text: extractText(message.content), calls: (message.options?.toolCall ?? []).map(parsed) };
  };
  return {
    name,
    id,
    errors: openaiErrors,
    seen: openaiError,
    honoursRetryAfter: true,
    async plain(model, options) {
      const { raw, message } = await modelOf(model, options).chat({ messages: user("Go.") });
      return { text: extractText(message.content), tokens: usageOf(raw).total_tokens, finish: finishOf(raw) };
    },
    async stream(model) {
      const chunks = await chunksOf(model);
      const raw = chunks.map((chunk) => chunk.raw);
      const tokens = raw.map(usageOf).find((usage) => usage).total_tokens;
      return { text: said(chunks), tokens, finish: raw.map(finishOf).find((finish) => finish) };
    },
    read: (model, options) =>
      textsOf(modelOf(model, options).chat({ messages: user("Go."), stream: true }), textOf),
    async rounds(model, stream) {
      const messages = user("Go.");
      for (let round = 0; round < ROUNDS_MAX; round++) {
        const { text, calls } = await answer(model, messages, stream);
        if (calls.length === 0) return text;
        messages.push({ role: "assistant", content: text, options: { toolCall: calls } });
        for (const { id: call, input } of calls) {
          const result = weather(input);
          messages.push({ role: "user", content: result, options: { toolResult: { id: call, result, isError: false } } });
        }
      }
      throw new Error("the calls do not end");
    },
    async turns(model) {
      const first = extractText((await ask(model)).content);
      const messages = [...user("Go."), { role: "assistant", content: first }, ...user("Go on.")];
      return extractText((await ask(model, { messages })).content);
    },
    schema: async (model) => Answer.parse(JSON.parse(extractText((await ask(model, schemaOf)).content))),
    async picture(model) {
      const content = [{ type: "text", text: question }, { type: "image_url", image_url: { url: picture } }];
      return extractText((await ask(model, { messages: user(content) })).content);
    },
  };
};

playAll(llamaindex("LlamaIndex, chat", "llamaindex-chat", OpenAI, {
  textOf: ({ delta }) => delta,
  usageOf: ({ usage }) => usage,
  finishOf: ({ choices }) => choices[0]?.finish_reason,
  schemaOf: { responseFormat: Answer },
}));

playAll(llamaindex("LlamaIndex, responses", "llamaindex-responses", OpenAIResponses, {
  // Later events repeat the last delta, with OpenAI itself too.
  textOf: ({ raw, delta }) => (raw.type === "response.output_text.delta" ? delta : ""),
  usageOf: (raw) => (raw.response ?? raw).usage,
  finishOf: (raw) => ((raw.response ?? raw).status === "completed" ? "stop" : undefined),
  // It has no option of its own for a schema.
  schemaOf: { additionalChatOptions: { text: { format: zodTextFormat(Answer, "answer") } } },
}));
