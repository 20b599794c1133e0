// The clients under test, each with its usual flows. Every flow returns the same for all of them.
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import { generateText, Output, RetryError, stepCountIs, streamText, tool } from "ai";
import OpenAI from "openai";
import { zodResponseFormat, zodTextFormat } from "openai/helpers/zod";
import { z } from "zod";
import { apiKey, baseURL } from "./gateway.mjs";

const Answer = z.object({ city: z.string(), celsius: z.number() });
const City = z.object({ city: z.string() });
const DESCRIPTION = "Tells the weather of a city.";
const ROUNDS_MAX = 5;
const weather = ({ city }) => `sunny in ${city}`;
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const picture = `data:image/png;base64,${png.toString("base64")}`;
const question = "What is that?";

/** Returns the status and the code of a client's error. */
const told = (error) => {
  const last = RetryError.isInstance(error) ? error.lastError : error;
  const body = last.data?.error ?? last.error?.error ?? last.error ?? last.cause?.error ?? {};
  return { status: last.statusCode ?? last.status, code: body.code ?? last.code ?? last.lc_error_code };
};

/** Reads texts to the end, or to the first error; calls back after each. */
const read = async (texts, after = () => {}) => {
  let text = "";
  try {
    for await (const piece of texts) {
      text += piece;
      after();
    }
    return { text, error: null };
  } catch (error) {
    return { text, error };
  }
};

async function* deltas(stream, textOf) {
  for await (const one of await stream) {
    const text = textOf(one);
    if (text) yield text;
  }
}

// OpenAI's own

const openai = (key) => new OpenAI({ apiKey: key, baseURL });
const client = openai(apiKey);
const user = (content) => [{ role: "user", content }];
const chatDeltas = (model, options) =>
  deltas(client.chat.completions.create({ model, messages: user("Go."), stream: true }, options), (chunk) =>
    chunk.choices[0]?.delta.content);
const responseDeltas = (model, options) =>
  deltas(client.responses.create({ model, input: "Go.", stream: true }, options), (event) =>
    event.type === "response.output_text.delta" ? event.delta : "");

const openaiChat = {
  async stream(model) {
    const runner = client.chat.completions.stream({ model, messages: user("Go."), stream_options: { include_usage: true } });
    const { choices, usage } = await runner.finalChatCompletion();
    return { text: choices[0].message.content, tokens: usage.total_tokens, finish: choices[0].finish_reason };
  },
  async rounds(model) {
    const runner = client.chat.completions.runTools({
      model,
      messages: user("Go."),
      stream: true,
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
    const ask = async () => (await client.chat.completions.create({ model, messages })).choices[0].message;
    messages.push(await ask(), ...user("Go on."));
    return (await ask()).content;
  },
  async schema(model) {
    const asked = { model, messages: user("Go."), response_format: zodResponseFormat(Answer, "answer") };
    return (await client.chat.completions.parse(asked)).choices[0].message.parsed;
  },
  async picture(model) {
    const content = [{ type: "text", text: question }, { type: "image_url", image_url: { url: picture } }];
    return (await client.chat.completions.create({ model, messages: user(content) })).choices[0].message.content;
  },
  async ask(model, prompt, key = apiKey) {
    const asked = { model, messages: user(prompt) };
    return (await openai(key).chat.completions.create(asked)).choices[0].message.content;
  },
  read: (model, after, signal) => read(chatDeltas(model, { signal }), after),
};

const openaiResponses = {
  async stream(model) {
    const response = await client.responses.stream({ model, input: "Go." }).finalResponse();
    return { text: response.output_text, tokens: response.usage.total_tokens, finish: "stop" };
  },
  async rounds(model) {
    const input = [{ role: "user", content: "Go." }];
    const parameters = z.toJSONSchema(City);
    const tools = [{ type: "function", name: "weather", description: DESCRIPTION, parameters, strict: false }];
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const response = await client.responses.stream({ model, input, tools }).finalResponse();
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
    const first = await client.responses.create({ model, input: "Go." });
    const input = [...user("Go."), ...first.output, ...user("Go on.")];
    return (await client.responses.create({ model, input })).output_text;
  },
  async schema(model) {
    return (await client.responses.parse({ model, input: "Go.", text: { format: zodTextFormat(Answer, "answer") } }))
      .output_parsed;
  },
  async picture(model) {
    const content = [
      { type: "input_text", text: question },
      { type: "input_image", image_url: picture, detail: "auto" },
    ];
    return (await client.responses.create({ model, input: user(content) })).output_text;
  },
  async ask(model, prompt, key = apiKey) {
    return (await openai(key).responses.create({ model, input: prompt })).output_text;
  },
  read: (model, after, signal) => read(responseDeltas(model, { signal }), after),
};

// The AI SDK

async function* aiDeltas(parts) {
  for await (const part of parts) {
    if (part.type === "error") throw part.error;
    if (part.type === "abort") throw new Error("aborted");
    if (part.type === "text-delta") yield part.text;
  }
}

const quietly = () => {};

/** Without it the provider's Responses refer to earlier messages by their id, as if the gateway stored them. */
const providerOptions = { openai: { store: false } };

const aiSdk = (modelOf) => ({
  async stream(model) {
    const result = streamText({ model: modelOf(model), prompt: "Go." });
    const text = await result.text;
    return { text, tokens: (await result.usage).totalTokens, finish: await result.finishReason };
  },
  async rounds(model) {
    const tools = {
      weather: tool({ description: DESCRIPTION, inputSchema: City, execute: async (given) => weather(given) }),
    };
    const result = streamText({ model: modelOf(model), prompt: "Go.", tools, stopWhen: stepCountIs(ROUNDS_MAX) });
    return result.text;
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
  async ask(model, prompt, key = apiKey) {
    return (await generateText({ model: modelOf(model, key), prompt })).text;
  },
  read: (model, after, abortSignal) => {
    const { fullStream } = streamText({ model: modelOf(model), prompt: "Go.", abortSignal, onError: quietly });
    return read(aiDeltas(fullStream), after);
  },
});

const compatible = (key) =>
  createOpenAICompatible({
    name: "tollgate",
    baseURL,
    apiKey: key,
    includeUsage: true,
    supportsStructuredOutputs: true,
  });

// LangChain

const langchain = (useResponsesApi) => {
  const modelOf = (model, key = apiKey) =>
    new ChatOpenAI({ model, apiKey: key, configuration: { baseURL }, maxRetries: 2, useResponsesApi });
  const gathered = async (stream) => {
    let all = null;
    for await (const chunk of await stream) all = all ? all.concat(chunk) : chunk;
    return all;
  };
  return {
    async stream(model) {
      const all = await gathered(modelOf(model).stream("Go."));
      return { text: all.text, tokens: all.usage_metadata.total_tokens, finish: "stop" };
    },
    async rounds(model) {
      const tools = [{
        type: "function",
        function: { name: "weather", description: DESCRIPTION, parameters: z.toJSONSchema(City) },
      }];
      const bound = modelOf(model).bindTools(tools);
      const messages = [new HumanMessage("Go.")];
      for (let round = 0; round < ROUNDS_MAX; round++) {
        const answer = await gathered(bound.stream(messages));
        if (!answer.tool_calls?.length) return answer.text;
        messages.push(answer);
        for (const { id, args } of answer.tool_calls) {
          messages.push(new ToolMessage({ tool_call_id: id, content: weather(args) }));
        }
      }
      throw new Error("the calls do not end");
    },
    async turns(model) {
      const messages = [new HumanMessage("Go.")];
      messages.push(await modelOf(model).invoke(messages), new HumanMessage("Go on."));
      return (await modelOf(model).invoke(messages)).text;
    },
    async schema(model) {
      const options = { method: "jsonSchema", strict: true, name: "answer" };
      return modelOf(model).withStructuredOutput(Answer, options).invoke("Go.");
    },
    async picture(model) {
      const content = [{ type: "text", text: question }, { type: "image_url", image_url: { url: picture } }];
      return (await modelOf(model).invoke([new HumanMessage({ content })])).text;
    },
    async ask(model, prompt, key) {
      return (await modelOf(model, key).invoke(prompt)).text;
    },
    read: (model, after, signal) =>
      read(deltas(modelOf(model).stream("Go.", { signal }), (chunk) => chunk.text), after),
  };
};

export { told };
export const clients = {
  "openai-node, chat": openaiChat,
  "openai-node, responses": openaiResponses,
  "AI SDK, openai chat": aiSdk((model, key = apiKey) => createOpenAI({ baseURL, apiKey: key }).chat(model)),
  "AI SDK, openai responses": aiSdk((model, key = apiKey) => createOpenAI({ baseURL, apiKey: key })(model)),
  "AI SDK, openai-compatible": aiSdk((model, key = apiKey) => compatible(key)(model)),
  "LangChain, chat": langchain(false),
  "LangChain, responses": langchain(true),
};
