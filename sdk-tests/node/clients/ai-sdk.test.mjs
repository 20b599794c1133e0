// Vercel's AI SDK with its two providers for OpenAI's API.
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, Output, stepCountIs, streamText, tool } from "ai";
import { playAll } from "../cases.mjs";
import { Answer, City, DESCRIPTION, png, question, ROUNDS_MAX, user, usual, weather } from "./common.mjs";

const statuses = [400, 401, 403, 404, 429, 502, 503];
const quietly = () => {};
const tools = {
  weather: tool({ description: DESCRIPTION, inputSchema: City, execute: async (given) => weather(given) }),
};

/** Without it the provider's Responses refer to earlier messages by their id, as if the gateway stored them. */
const providerOptions = { openai: { store: false } };

async function* textsOf(parts) {
  for await (const part of parts) {
    if (part.type === "error") throw part.error;
    if (part.type === "abort") throw new Error("aborted");
    if (part.type === "text-delta") yield part.text;
  }
}

const aiSdk = (name, id, modelOf) => ({
  name,
  id,
  errors: Object.fromEntries(statuses.map((status) => [status, "AI_APICallError"])),
  honoursRetryAfter: true,
  seen: (error) => ({
    name: error.name,
    status: error.statusCode,
    code: (error.data?.error ?? error).code,
    message: error.message,
  }),
  async plain(model, { maxRetries, ...options } = {}) {
    const { text, usage, finishReason: finish } =
      await generateText({ model: modelOf(model, options), prompt: "Go.", maxRetries });
    return { text, tokens: usage.totalTokens, finish };
  },
  async stream(model) {
    const result = streamText({ model: modelOf(model), prompt: "Go." });
    const text = await result.text;
    return { text, tokens: (await result.usage).totalTokens, finish: await result.finishReason };
  },
  read: (model, { signal, maxRetries, ...options } = {}) =>
    textsOf(streamText({
      model: modelOf(model, options), prompt: "Go.", maxRetries, abortSignal: signal, onError: quietly }).fullStream),
  async rounds(model, stream) {
    const asked = { model: modelOf(model), prompt: "Go.", tools, stopWhen: stepCountIs(ROUNDS_MAX) };
    return stream ? streamText(asked).text : (await generateText(asked)).text;
  },
  async turns(model) {
    const ask = (messages) => generateText({ model: modelOf(model), messages, providerOptions });
    const first = await ask(user("Go."));
    return (await ask([...user("Go."), ...first.response.messages, ...user("Go on.")])).text;
  },
  async schema(model) {
    const output = Output.object({ schema: Answer });
    return (await generateText({ model: modelOf(model), prompt: "Go.", output })).output;
  },
  async picture(model) {
    const content = [{ type: "text", text: question }, { type: "file", data: png, mediaType: "image/png" }];
    return (await generateText({ model: modelOf(model), messages: user(content) })).text;
  },
});

const openai = (options) => createOpenAI({ ...usual, ...options });
const compatible = (options) =>
  createOpenAICompatible({ name: "tollgate", includeUsage: true, supportsStructuredOutputs: true, ...usual, ...options });

playAll(aiSdk("AI SDK, openai chat", "ai-sdk-chat", (model, options) => openai(options).chat(model)));
playAll(aiSdk("AI SDK, openai responses", "ai-sdk-responses", (model, options) => openai(options)(model)));
playAll(aiSdk("AI SDK, openai-compatible", "ai-sdk-compatible", (model, options) => compatible(options)(model)));
