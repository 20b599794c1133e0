// Anthropic's Messages, also as Google hosts them.
import { named } from "./sse.mjs";

const head = { id: "msg_1", type: "message", role: "assistant", model: "m" };
const stop = ({ calls }) => (calls ? "tool_use" : "end_turn");
const block = (index, content_block, delta) =>
  named({ type: "content_block_start", index, content_block }) +
  named({ type: "content_block_delta", index, delta }) +
  named({ type: "content_block_stop", index });

const textOf = (blocks) => blocks.map(({ text }) => text ?? "").join("");

const messageOf = ({ role, content }) => {
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const of = (type) => blocks.filter((one) => one.type === type);
  const calls = of("tool_use").map(({ id, name, input }) => ({ id, name, given: input }));
  const pictures = of("image").map(({ source }) => source.data);
  const results = of("tool_result").map(({ tool_use_id, content: said }) => ({
    role: "tool",
    id: tool_use_id,
    text: typeof said === "string" ? said : textOf(said),
    pictures: [],
    calls: [],
  }));
  const says = of("text").length + calls.length + pictures.length > 0;
  return says ? [...results, { role, text: textOf(blocks), pictures, calls }] : results;
};

export const anthropic = {
  path: /\/messages$|\/publishers\/anthropic\/models\/[^/]+:(streamR|r)awPredict$/,
  type: "text/event-stream",
  codes: {
    rejected: "invalid_request_error",
    "credential-refused": "authentication_error",
    "model-forbidden": "permission_error",
    "model-missing": "not_found_error",
    limited: "rate_limit_error",
    failing: "api_error",
    "too-long": "invalid_request_error",
  },
  tooLong: "prompt is too long: 210000 tokens > 200000 maximum",
  read: ({ stream, messages, tools, output_config: output }) => ({
    streams: stream === true,
    messages: messages.flatMap(messageOf),
    tools: (tools ?? []).map(({ name }) => name),
    schema: output?.format?.schema,
  }),
  whole: (reply) => ({
    ...head,
    content: reply.calls
      ? reply.calls.map(({ id, name, given }) => ({ type: "tool_use", id, name, input: given }))
      : [{ type: "text", text: reply.text }],
    stop_reason: stop(reply),
    usage: { input_tokens: 20, output_tokens: 9 },
  }),
  begin: ({ calls }) => {
    const usage = { input_tokens: 20, output_tokens: 1 };
    const start = named({ type: "message_start", message: { ...head, content: [], usage } });
    const content_block = { type: "text", text: "" };
    return calls ? start : start + named({ type: "content_block_start", index: 0, content_block });
  },
  word: (text) => named({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } }),
  call: ({ id, name, given }, index) =>
    block(
      index,
      { type: "tool_use", id, name, input: {} },
      { type: "input_json_delta", partial_json: JSON.stringify(given) },
    ),
  end: (reply) =>
    (reply.calls ? "" : named({ type: "content_block_stop", index: 0 })) +
    named({ type: "message_delta", delta: { stop_reason: stop(reply) }, usage: { output_tokens: 9 } }) +
    named({ type: "message_stop" }),
  error: (status, type, message) => ({ type: "error", error: { type, message } }),
};
