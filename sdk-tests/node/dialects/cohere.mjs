// Cohere's chats, version 2.
import { messagesOf } from "./openai.mjs";
import { named } from "./sse.mjs";

const usage = { tokens: { input_tokens: 20, output_tokens: 9 } };
const finish_reason = ({ calls }) => (calls ? "TOOL_CALL" : "COMPLETE");
const event = (type, message, index = 0) => named({ type, index, delta: { message } });
const called = ({ id, name }, given) => ({ id, type: "function", function: { name, arguments: given } });

export const cohere = {
  path: /^\/v2\/chat$/,
  type: "text/event-stream",
  codes: {},
  tooLong: "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5000.",
  read: ({ stream, messages, tools, response_format: format }) => ({
    streams: stream === true,
    messages: messagesOf(messages),
    tools: (tools ?? []).map((tool) => tool.function.name),
    schema: format?.type === "json_object" ? format.json_schema : undefined,
  }),
  whole: (reply) => ({
    id: "c",
    finish_reason: finish_reason(reply),
    message: reply.calls
      ? { role: "assistant", tool_calls: reply.calls.map((one) => called(one, JSON.stringify(one.given))) }
      : { role: "assistant", content: [{ type: "text", text: reply.text }] },
    usage,
  }),
  begin: ({ calls }) =>
    named({ id: "c", type: "message-start", delta: { message: { role: "assistant" } } }) +
    (calls ? "" : event("content-start", { content: { type: "text", text: "" } })),
  word: (text) => event("content-delta", { content: { text } }),
  call: (call, index) =>
    event("tool-call-start", { tool_calls: called(call, "") }, index) +
    event("tool-call-delta", { tool_calls: { function: { arguments: JSON.stringify(call.given) } } }, index) +
    named({ type: "tool-call-end", index }),
  end: (reply) =>
    (reply.calls ? "" : named({ type: "content-end", index: 0 })) +
    named({ type: "message-end", delta: { finish_reason: finish_reason(reply), usage } }),
  error: (status, code, message) => ({ id: "e", message }),
};
