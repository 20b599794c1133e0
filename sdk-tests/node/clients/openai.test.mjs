// OpenAI's own SDK, over chats and Responses.
import OpenAI from "openai";
import { zodResponseFormat, zodTextFormat } from "openai/helpers/zod";
import { z } from "zod";
import { playAll } from "../cases.mjs";
import {
  Answer, City, DESCRIPTION, openaiError, openaiErrors, picture, question, ROUNDS_MAX, textsOf, user, usual, weather,
} from "./common.mjs";

const client = (options) => new OpenAI({ ...usual, ...options });
const common = { errors: openaiErrors, seen: openaiError, honoursRetryAfter: true };

playAll({
  ...common,
  name: "openai-node, chat",
  id: "openai-chat",
  async plain(model, options) {
    const { choices: [{ message, finish_reason: finish }], usage } = await client(options).chat.completions.create({
      model, messages: user("Go.") });
    return { text: message.content, tokens: usage.total_tokens, finish };
  },
  async stream(model) {
    const asked = { model, messages: user("Go."), stream_options: { include_usage: true } };
    const { choices: [{ message, finish_reason: finish }], usage } =
      await client().chat.completions.stream(asked).finalChatCompletion();
    return { text: message.content, tokens: usage.total_tokens, finish };
  },
  read: (model, { signal, ...options } = {}) =>
    textsOf(
      client(options).chat.completions.create({ model, messages: user("Go."), stream: true }, { signal }),
      (chunk) => chunk.choices[0]?.delta.content,
    ),
  rounds(model, stream) {
    const runner = client().chat.completions.runTools({
      model,
      messages: user("Go."),
      stream,
      tools: [{
        type: "function",
        function: {
          name: "weather",
          description: DESCRIPTION,
          parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
          parse: JSON.parse,
          function: weather,
        },
      }],
    });
    return runner.finalContent();
  },
  async turns(model) {
    const messages = user("Go.");
    const ask = async () => (await client().chat.completions.create({ model, messages })).choices[0].message;
    messages.push(await ask(), ...user("Go on."));
    return (await ask()).content;
  },
  async schema(model) {
    const asked = { model, messages: user("Go."), response_format: zodResponseFormat(Answer, "answer") };
    return (await client().chat.completions.parse(asked)).choices[0].message.parsed;
  },
  async picture(model) {
    const content = [{ type: "text", text: question }, { type: "image_url", image_url: { url: picture } }];
    const { choices } = await client().chat.completions.create({ model, messages: user(content) });
    return choices[0].message.content;
  },
});

playAll({
  ...common,
  name: "openai-node, responses",
  id: "openai-responses",
  async plain(model, options) {
    const { output_text: text, usage, status } = await client(options).responses.create({ model, input: "Go." });
    return { text, tokens: usage.total_tokens, finish: status === "completed" ? "stop" : status };
  },
  async stream(model) {
    const { output_text: text, usage, status } =
      await client().responses.stream({ model, input: "Go." }).finalResponse();
    return { text, tokens: usage.total_tokens, finish: status === "completed" ? "stop" : status };
  },
  read: (model, { signal, ...options } = {}) =>
    textsOf(
      client(options).responses.create({ model, input: "Go.", stream: true }, { signal }),
      (event) => (event.type === "response.output_text.delta" ? event.delta : ""),
    ),
  async rounds(model, stream) {
    const input = user("Go.");
    const parameters = z.toJSONSchema(City);
    const tools = [{ type: "function", name: "weather", description: DESCRIPTION, parameters, strict: false }];
    const ask = () =>
      stream
        ? client().responses.stream({ model, input, tools }).finalResponse()
        : client().responses.create({ model, input, tools });
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const response = await ask();
      const calls = response.output.filter(({ type }) => type === "function_call");
      if (calls.length === 0) return response.output_text;
      input.push(...response.output);
      for (const { call_id, arguments: given } of calls) {
        input.push({ type: "function_call_output", call_id, output: weather(JSON.parse(given)) });
      }
    }
    throw new Error("the calls do not end");
  },
  async turns(model) {
    const first = await client().responses.create({ model, input: "Go." });
    const input = [...user("Go."), ...first.output, ...user("Go on.")];
    return (await client().responses.create({ model, input })).output_text;
  },
  async schema(model) {
    const asked = { model, input: "Go.", text: { format: zodTextFormat(Answer, "answer") } };
    return (await client().responses.parse(asked)).output_parsed;
  },
  async picture(model) {
    const content = [
      { type: "input_text", text: question },
      { type: "input_image", image_url: picture, detail: "auto" },
    ];
    return (await client().responses.create({ model, input: user(content) })).output_text;
  },
});
