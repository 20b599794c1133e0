// Ollama's own API: its calls have no ids, so calls and results belong together by their order.
const line = (all) => `${JSON.stringify({ model: "m", created_at: "2026-01-01T00:00:00Z", ...all })}\n`;
const said = (content, more) => ({ role: "assistant", content, ...more });
const called = ({ name, given }) => ({ function: { name, arguments: given } });
const last = { done: true, done_reason: "stop", prompt_eval_count: 20, eval_count: 9 };

const messagesOf = (messages) => {
  let calls = 0;
  let results = 0;
  return messages.map(({ role, content, images, tool_calls }) => ({
    role,
    id: role === "tool" ? results++ : undefined,
    text: content,
    pictures: images ?? [],
    calls: (tool_calls ?? []).map((call) => ({
      id: calls++,
      name: call.function.name,
      given: call.function.arguments,
    })),
  }));
};

export const ollama = {
  path: /^\/api\/chat$/,
  type: "application/x-ndjson",
  codes: {},
  tooLong: "the input length exceeds the context length",
  read: ({ stream, messages, tools, format }) => ({
    streams: stream !== false,
    messages: messagesOf(messages),
    tools: (tools ?? []).map((tool) => tool.function.name),
    schema: typeof format === "object" ? format : undefined,
  }),
  whole: (reply) => {
    const message = reply.calls ? said("", { tool_calls: reply.calls.map(called) }) : said(reply.text);
    return JSON.parse(line({ message, ...last }));
  },
  begin: () => "",
  word: (text) => line({ message: said(text), done: false }),
  call: (call) => line({ message: said("", { tool_calls: [called(call)] }), done: false }),
  end: () => line({ message: said(""), ...last }),
  error: (status, code, message) => ({ error: message }),
};
