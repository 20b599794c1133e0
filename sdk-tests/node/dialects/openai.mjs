// OpenAI's chat completions, and Azure's.
import { data } from "./sse.mjs";

const usage = { prompt_tokens: 20, completion_tokens: 9, total_tokens: 29 };
const head = (object) => ({ id: "c-1", object, created: 1, model: "m" });
const chunk = (delta, finish_reason = null) =>
  data({ ...head("chat.completion.chunk"), choices: [{ index: 0, delta, finish_reason }] });
const finish = ({ calls }) => (calls ? "tool_calls" : "stop");
const called = ({ id, name, given }) => ({
  id,
  type: "function",
  function: { name, arguments: JSON.stringify(given) },
});

const textOf = (content) =>
  Array.isArray(content) ? content.map((part) => part.text ?? "").join("") : (content ?? "");
const picturesOf = (content) =>
  Array.isArray(content) ? content.flatMap(({ image_url }) => image_url?.url.split("base64,")[1] ?? []) : [];

/** Returns the messages of a chat in this format, or a similar one. */
export const messagesOf = (messages) =>
  messages.map(({ role, content, tool_calls, tool_call_id: id }) => ({
    role,
    id,
    text: textOf(content),
    pictures: picturesOf(content),
    calls: (tool_calls ?? []).map(({ id, function: { name, arguments: given } }) => ({
      id,
      name,
      given: JSON.parse(given),
    })),
  }));

export const openai = {
  path: /^\/v1\/chat\/completions$/,
  type: "text/event-stream",
  codes: {
    rejected: "invalid_value",
    "content-filtered": "content_filter",
    "credential-refused": "invalid_api_key",
    "model-forbidden": "model_not_allowed",
    "model-missing": "model_not_found",
    limited: "rate_limit_exceeded",
    failing: "server_error",
    "too-long": "context_length_exceeded",
  },
  tooLong: "This model's maximum context length is 128000 tokens. However, your messages resulted in 130021 tokens.",
  read: ({ stream, messages, tools, response_format: format }) => ({
    streams: stream === true,
    messages: messagesOf(messages),
    tools: (tools ?? []).map((tool) => tool.function.name),
    schema: format?.type === "json_schema" && format.json_schema.strict ? format.json_schema.schema : undefined,
  }),
  whole: (reply) => {
    const message = { role: "assistant", content: reply.text ?? null, refusal: null };
    if (reply.calls) message.tool_calls = reply.calls.map(called);
    const choices = [{ index: 0, message, logprobs: null, finish_reason: finish(reply) }];
    return { ...head("chat.completion"), choices, usage };
  },
  begin: () => chunk({ role: "assistant", content: "" }),
  word: (content) => chunk({ content }),
  call: (call, index) => {
    const { function: { name, arguments: given }, ...rest } = called(call);
    return [
      { index, ...rest, function: { name, arguments: "" } },
      { index, function: { arguments: given.slice(0, 5) } },
      { index, function: { arguments: given.slice(5) } },
    ].map((part) => chunk({ tool_calls: [part] })).join("");
  },
  end: (reply) =>
    `${chunk({}, finish(reply))}${data({ ...head("chat.completion.chunk"), choices: [], usage })}data: [DONE]\n\n`,
  error: (status, code, message) => ({ error: { message, type: "t", param: null, code } }),
};

/** The same, behind a chunk without choices that reports on the prompt. */
export const azure = {
  ...openai,
  path: /^\/openai\/deployments\/[^/]+\/chat\/completions/,
  begin: () =>
    data({ choices: [], id: "", model: "", object: "", created: 0, prompt_filter_results: [] }) + openai.begin(),
};
