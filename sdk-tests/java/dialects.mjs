// The formats of six providers: how each asks a model, and how it tells the model's answer, plain and streamed.
const sse = "text/event-stream";
const data = (one) => `data: ${JSON.stringify(one)}\n\n`;
const event = (one) => `event: ${one.type}\n${data(one)}`;
const argumentsOf = ({ city }) => ({ city });

/** Results in the order of their calls, by id. */
const ordered = (ids, byId) => ids.filter((id) => id in byId).map((id) => byId[id]);
const plainText = (content) =>
  Array.isArray(content) ? content.map(({ text }) => text ?? "").join("") : content;
const base64Of = (url) => url?.split("base64,")[1];

/** Reads a conversation in OpenAI's format, or in one like it. */
const readMessages = (messages) => {
  const results = messages.filter(({ role }) => role === "tool");
  const ids = messages.flatMap(({ tool_calls }) => tool_calls ?? []).map(({ id }) => id);
  return {
    words: plainText(messages.find(({ role }) => role === "user").content),
    results: ordered(ids, Object.fromEntries(results.map((one) => [one.tool_call_id, plainText(one.content)]))),
  };
};

const parts = (messages) => messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));

const imageUrl = (messages) => base64Of(parts(messages).find(({ type }) => type === "image_url")?.image_url.url);

const usage = { prompt_tokens: 20, completion_tokens: 9, total_tokens: 29 };
const head = (object) => ({ id: "c-1", object, created: 1, model: "m" });
const toolCall = ({ id, ...call }) => ({
  id,
  type: "function",
  function: { name: "weather", arguments: JSON.stringify(argumentsOf(call)) },
});
const chunk = (delta, finish_reason = null) =>
  data({ ...head("chat.completion.chunk"), choices: [{ index: 0, delta, finish_reason }] });

const openai = {
  path: /^\/openai\/chat\/completions$/,
  type: sse,
  isStream: (url, body) => body.stream,
  read: ({ messages, response_format: format }) => ({
    ...readMessages(messages),
    picture: imageUrl(messages),
    schema: format?.json_schema?.schema,
  }),
  plain: ({ text, calls }) => ({
    ...head("chat.completion"),
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: text || null,
          refusal: null,
          ...(calls.length > 0 && { tool_calls: calls.map(toolCall) }),
        },
        logprobs: null,
        finish_reason: calls.length > 0 ? "tool_calls" : "stop",
      },
    ],
    usage,
  }),
  begin: () => chunk({ role: "assistant", content: "" }),
  word: (content) => chunk({ content }),
  call: (call, index) => chunk({ tool_calls: [{ index, ...toolCall(call) }] }),
  end: ({ calls }) =>
    chunk({}, calls.length > 0 ? "tool_calls" : "stop") +
    data({ ...head("chat.completion.chunk"), choices: [], usage }) +
    "data: [DONE]\n\n",
  refusal: (message) => ({ error: { message, type: "t", param: null, code: null } }),
  tooLong: "This model's maximum context length is 128000 tokens. However, your messages resulted in 130021 tokens.",
};

const blocks = (messages, type) => parts(messages).filter((one) => one.type === type);
const anthropicMessage = (more) => ({ id: "msg_1", type: "message", role: "assistant", model: "m", ...more });
const toolUse = ({ id, ...call }) => ({ type: "tool_use", id: `toolu_${id}`, name: "weather", input: argumentsOf(call) });
const blockStart = (index, content_block) => event({ type: "content_block_start", index, content_block });
const blockDelta = (index, delta) => event({ type: "content_block_delta", index, delta });
const blockStop = (index) => event({ type: "content_block_stop", index });

const anthropic = {
  path: /^\/anthropic\/v1\/messages$/,
  type: sse,
  isStream: (url, body) => body.stream,
  read: ({ messages, output_config: output }) => ({
    words: plainText(messages[0].content),
    results: ordered(
      blocks(messages, "tool_use").map(({ id }) => id),
      Object.fromEntries(blocks(messages, "tool_result").map((one) => [one.tool_use_id, plainText(one.content)])),
    ),
    picture: blocks(messages, "image")[0]?.source.data,
    schema: output?.format?.schema,
  }),
  plain: ({ text, calls }) =>
    anthropicMessage({
      content: calls.length > 0 ? calls.map(toolUse) : [{ type: "text", text }],
      stop_reason: calls.length > 0 ? "tool_use" : "end_turn",
      stop_sequence: null,
      usage: { input_tokens: 20, output_tokens: 9 },
    }),
  begin: () =>
    event({
      type: "message_start",
      message: anthropicMessage({ content: [], usage: { input_tokens: 20, output_tokens: 1 } }),
    }),
  word: (text, position) =>
    (position === 0 ? blockStart(0, { type: "text", text: "" }) : "") + blockDelta(0, { type: "text_delta", text }),
  call: (call, index) => {
    const { input, ...rest } = toolUse(call);
    const partial_json = JSON.stringify(input);
    return (
      blockStart(index, { ...rest, input: {} }) +
      blockDelta(index, { type: "input_json_delta", partial_json }) +
      blockStop(index)
    );
  },
  end: ({ calls }) =>
    (calls.length > 0 ? "" : blockStop(0)) +
    event({
      type: "message_delta",
      delta: { stop_reason: calls.length > 0 ? "tool_use" : "end_turn" },
      usage: { output_tokens: 9 },
    }) +
    event({ type: "message_stop" }),
  refusal: (message) => ({ type: "error", error: { type: "invalid_request_error", message } }),
  tooLong: "prompt is too long: 210000 tokens > 200000 maximum",
};

const geminiParts = (contents, name) => contents.flatMap((one) => one.parts).filter((part) => name in part);
const gemini = {
  path: /^\/gemini\/v1beta\/models\/[^/]+:(generateContent|streamGenerateContent\?alt=sse)$/,
  type: sse,
  isStream: (url) => url.includes(":stream"),
  read: ({ contents, generationConfig: config }) => ({
    words: contents[0].parts.find(({ text }) => text)?.text,
    results: geminiParts(contents, "functionResponse").map((part) => part.functionResponse.response.output),
    picture: geminiParts(contents, "inlineData")[0]?.inlineData.data,
    schema: config?.responseJsonSchema,
  }),
  plain: ({ text, calls }, isLast = true) => ({
    candidates: [
      {
        content: {
          role: "model",
          parts:
            calls.length > 0
              ? calls.map(({ id, ...call }) => ({ functionCall: { id, name: "weather", args: argumentsOf(call) } }))
              : [{ text }],
        },
        ...(isLast && { finishReason: "STOP" }),
      },
    ],
    usageMetadata: { promptTokenCount: 20, candidatesTokenCount: 9, totalTokenCount: 29 },
    modelVersion: "m",
    responseId: "r",
  }),
  begin: () => "",
  word: (text) => data(gemini.plain({ text, calls: [] }, false)),
  call: (call) => data(gemini.plain({ calls: [call] }, false)),
  end: () => data(gemini.plain({ text: "", calls: [] })),
  refusal: (message, code) => ({
    error: { code, message, status: code === 429 ? "RESOURCE_EXHAUSTED" : code === 400 ? "INVALID_ARGUMENT" : "INTERNAL" },
  }),
  tooLong: "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
};

const cohereEvent = (type, index, delta) => event({ type, index, delta });
const cohere = {
  path: /^\/cohere\/v2\/chat$/,
  type: sse,
  isStream: (url, body) => body.stream,
  read: ({ messages, response_format: format }) => ({
    ...readMessages(messages),
    picture: imageUrl(messages),
    schema: format?.json_schema,
  }),
  plain: ({ text, calls }) => ({
    id: "c",
    finish_reason: calls.length > 0 ? "TOOL_CALL" : "COMPLETE",
    message: {
      role: "assistant",
      ...(calls.length > 0 ? { tool_calls: calls.map(toolCall) } : { content: [{ type: "text", text }] }),
    },
    usage: { tokens: { input_tokens: 20, output_tokens: 9 } },
  }),
  begin: () => event({ id: "c", type: "message-start", delta: { message: { role: "assistant" } } }),
  word: (text) => cohereEvent("content-delta", 0, { message: { content: { text } } }),
  call: (call, index) => {
    const { function: named, ...rest } = toolCall(call);
    const start = { ...rest, function: { ...named, arguments: "" } };
    return (
      cohereEvent("tool-call-start", index, { message: { tool_calls: start } }) +
      cohereEvent("tool-call-delta", index, {
        message: { tool_calls: { function: { arguments: named.arguments } } },
      })
    );
  },
  end: (reply) => {
    const { finish_reason, usage } = cohere.plain(reply);
    return event({ type: "message-end", delta: { finish_reason, usage } });
  },
  refusal: (message) => ({ message }),
  tooLong: "too many tokens: size limit exceeded by 25836 tokens. Try using shorter or fewer inputs.",
};

const line = (one) => `${JSON.stringify({ model: "m", created_at: "2026-01-01T00:00:00Z", ...one })}\n`;
const said = (content, more = {}) => ({ message: { role: "assistant", content, ...more }, done: false });
const ollamaCall = (call) => ({ function: { name: "weather", arguments: argumentsOf(call) } });
const ollamaEnd = { done: true, done_reason: "stop", prompt_eval_count: 20, eval_count: 9 };
const ollama = {
  path: /^\/ollama\/api\/chat$/,
  type: "application/x-ndjson",
  isStream: (url, body) => body.stream !== false,
  read: ({ messages, format }) => ({
    ...readMessages(messages),
    picture: messages.flatMap(({ images }) => images ?? [])[0],
    schema: format,
  }),
  plain: ({ text, calls }) => ({
    model: "m",
    created_at: "2026-01-01T00:00:00Z",
    ...said(text, calls.length > 0 ? { tool_calls: calls.map(ollamaCall) } : {}),
    ...ollamaEnd,
  }),
  begin: () => "",
  word: (text) => line(said(text)),
  call: (call) => line(said("", { tool_calls: [ollamaCall(call)] })),
  end: () => line({ ...said(""), ...ollamaEnd }),
  refusal: (message) => ({ error: message }),
  tooLong: "prompt too long; exceeded max context length by 4 tokens",
};

/** CRC-32 of RFC 1952. */
const crc32 = (bytes) => {
  let sum = ~0;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return ~sum >>> 0;
};

/** Frame of Amazon's event stream: lengths, their checksum, headers, the payload, a checksum of the whole. */
const frame = (type, payload) => {
  const fields = Buffer.concat(
    [[":message-type", "event"], [":event-type", type], [":content-type", "application/json"]].map(([name, value]) =>
      Buffer.concat([
        Buffer.of(name.length),
        Buffer.from(name),
        Buffer.of(7, value.length >> 8, value.length & 0xff),
        Buffer.from(value),
      ]),
    ),
  );
  const body = Buffer.from(JSON.stringify(payload));
  const bytes = Buffer.alloc(12 + fields.length + body.length + 4);
  bytes.writeUInt32BE(bytes.length, 0);
  bytes.writeUInt32BE(fields.length, 4);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, 8)), 8);
  fields.copy(bytes, 12);
  body.copy(bytes, 12 + fields.length);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, -4)), bytes.length - 4);
  return bytes;
};

const having = (messages, name) => messages.flatMap(({ content }) => content).filter((one) => name in one);
const bedrockUsage = { usage: { inputTokens: 20, outputTokens: 9, totalTokens: 29 } };
const bedrockCall = ({ id, ...call }) => ({ toolUse: { toolUseId: id, name: "weather", input: argumentsOf(call) } });
const bedrock = {
  path: /^\/bedrock\/model\/[^/]+\/converse(-stream)?$/,
  type: "application/vnd.amazon.eventstream",
  isStream: (url) => url.endsWith("-stream"),
  read: ({ messages, outputConfig: output }) => ({
    words: having(messages, "text")[0].text,
    results: ordered(
      having(messages, "toolUse").map(({ toolUse }) => toolUse.toolUseId),
      Object.fromEntries(
        having(messages, "toolResult").map(({ toolResult: one }) => [one.toolUseId, plainText(one.content)]),
      ),
    ),
    picture: having(messages, "image")[0]?.image.source.bytes,
    schema: output && JSON.parse(output.textFormat.structure.jsonSchema.schema),
  }),
  plain: ({ text, calls }) => ({
    output: { message: { role: "assistant", content: calls.length > 0 ? calls.map(bedrockCall) : [{ text }] } },
    stopReason: calls.length > 0 ? "tool_use" : "end_turn",
    ...bedrockUsage,
  }),
  begin: () => frame("messageStart", { role: "assistant" }),
  word: (text) => frame("contentBlockDelta", { contentBlockIndex: 0, delta: { text } }),
  call: (call, contentBlockIndex) => {
    const { input, ...toolUse } = bedrockCall(call).toolUse;
    return Buffer.concat([
      frame("contentBlockStart", { contentBlockIndex, start: { toolUse } }),
      frame("contentBlockDelta", { contentBlockIndex, delta: { toolUse: { input: JSON.stringify(input) } } }),
      frame("contentBlockStop", { contentBlockIndex }),
    ]);
  },
  end: ({ calls }) =>
    Buffer.concat([
      frame("messageStop", { stopReason: calls.length > 0 ? "tool_use" : "end_turn" }),
      frame("metadata", bedrockUsage),
    ]),
  refusal: (message) => ({ message }),
  tooLong: "Input is too long for requested model.",
};

export const dialects = [openai, anthropic, bedrock, gemini, cohere, ollama];
