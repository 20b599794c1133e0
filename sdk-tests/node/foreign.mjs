// Providers with other APIs than OpenAI's: each calls a tool for the weather of two cities at once, then returns both
// results in the order of its calls.
const cities = ["Ulm", "Bonn"];
const events = (all) => all.map((one) => `event: ${one.type}\ndata: ${JSON.stringify(one)}\n\n`).join("");
const plain = (all) => all.map((one) => `data: ${JSON.stringify(one)}\n\n`).join("");
const said = (results) => `It is ${results.join(", ")}`;

/** Returns the tool results of a conversation in OpenAI's format, or a similar one, in the order of the calls. */
const ordered = ({ messages }) => {
  const results = messages.filter((one) => one.role === "tool");
  const calls = results.length > 0 ? messages[1].tool_calls : [];
  return calls.map((call) => results.find((one) => one.tool_call_id === call.id).content);
};

const anthropic = ({ messages }) => {
  const blocks = messages.at(-1).content.filter((one) => one.type === "tool_result");
  const delta = (index, content_block, delta) => [
    { type: "content_block_start", index, content_block },
    { type: "content_block_delta", index, delta },
    { type: "content_block_stop", index },
  ];
  const call = (city, k) =>
    delta(
      k,
      { type: "tool_use", id: `toolu_${k}`, name: "weather", input: {} },
      { type: "input_json_delta", partial_json: JSON.stringify({ city }) },
    );
  const results = messages[1]?.content.map(
    (one) => blocks.find((block) => block.tool_use_id === one.id).content[0].text,
  );
  const text = () =>
    delta(0, { type: "text", text: "" }, { type: "text_delta", text: said(results) });
  return events([
    {
      type: "message_start",
      message: {
        id: "msg_1",
        type: "message",
        role: "assistant",
        model: "m",
        content: [],
        usage: { input_tokens: 20, output_tokens: 1 },
      },
    },
    ...(blocks.length === 0 ? cities.flatMap(call) : text()),
    {
      type: "message_delta",
      delta: { stop_reason: blocks.length === 0 ? "tool_use" : "end_turn" },
      usage: { output_tokens: 9 },
    },
    { type: "message_stop" },
  ]);
};

const gemini = ({ contents }) => {
  const results = (contents[2]?.parts ?? []).map((part) => part.functionResponse.response.output);
  const parts =
    results.length === 0
      ? cities.map((city, k) => ({ functionCall: { id: `g${k}`, name: "weather", args: { city } } }))
      : [{ text: said(results) }];
  return plain([
    {
      candidates: [{ content: { parts, role: "model" }, finishReason: "STOP" }],
      usageMetadata: { promptTokenCount: 20, candidatesTokenCount: 9, totalTokenCount: 29 },
      modelVersion: "m",
      responseId: "r",
    },
  ]);
};

const cohere = (request) => {
  const results = ordered(request);
  const call = (city, index) => [
    {
      type: "tool-call-start",
      index,
      delta: {
        message: {
          tool_calls: { id: `w_${index}`, type: "function", function: { name: "weather", arguments: "" } },
        },
      },
    },
    {
      type: "tool-call-delta",
      index,
      delta: { message: { tool_calls: { function: { arguments: JSON.stringify({ city }) } } } },
    },
  ];
  const text = {
    type: "content-delta",
    index: 0,
    delta: { message: { content: { text: said(results) } } },
  };
  return events([
    { id: "c", type: "message-start", delta: { message: { role: "assistant" } } },
    ...(results.length === 0 ? cities.flatMap(call) : [text]),
    {
      type: "message-end",
      delta: {
        finish_reason: results.length === 0 ? "TOOL_CALL" : "COMPLETE",
        usage: { tokens: { input_tokens: 20, output_tokens: 9 } },
      },
    },
  ]);
};

const ollama = (request) => {
  const results = ordered(request);
  const message =
    results.length === 0
      ? {
          role: "assistant",
          content: "",
          tool_calls: cities.map((city) => ({ function: { name: "weather", arguments: { city } } })),
        }
      : { role: "assistant", content: said(results) };
  const head = { model: "m", created_at: "2026-01-01T00:00:00Z" };
  const last = { role: "assistant", content: "" };
  return [
    { ...head, message, done: false },
    { ...head, message: last, done: true, done_reason: "stop", prompt_eval_count: 20, eval_count: 9 },
  ]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join("");
};

const azure = (request) => {
  const results = ordered(request);
  const head = { id: "1", object: "chat.completion.chunk", created: 1, model: "m" };
  const choice = (delta, finish_reason) => ({ ...head, choices: [{ index: 0, delta, finish_reason }] });
  const calls = cities.map((city, index) => ({
    index,
    id: `az_${index}`,
    type: "function",
    function: { name: "weather", arguments: JSON.stringify({ city }) },
  }));
  const delta =
    results.length === 0 ? { content: null, tool_calls: calls } : { content: said(results) };
  return plain([
    { choices: [], id: "", model: "", object: "", created: 0, prompt_filter_results: [] },
    choice({ role: "assistant", ...delta }, null),
    choice({}, results.length === 0 ? "tool_calls" : "stop"),
    { ...head, choices: [], usage: { prompt_tokens: 20, completion_tokens: 9, total_tokens: 29 } },
  ]).concat("data: [DONE]\n\n");
};

/** Frame of Amazon's event stream: lengths, their checksum, headers, the payload, a checksum of the whole. */
const frame = (type, payload) => {
  const field = (name, value) =>
    Buffer.concat([
      Buffer.of(name.length),
      Buffer.from(name),
      Buffer.of(7, value.length >> 8, value.length & 0xff),
      Buffer.from(value),
    ]);
  const fields = Buffer.concat([
    field(":message-type", "event"),
    field(":event-type", type),
    field(":content-type", "application/json"),
  ]);
  const body = Buffer.from(JSON.stringify(payload));
  const bytes = Buffer.alloc(12 + fields.length + body.length + 4);
  bytes.writeUInt32BE(bytes.length, 0);
  bytes.writeUInt32BE(fields.length, 4);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, 8)), 8);
  fields.copy(bytes, 12);
  body.copy(bytes, 12 + fields.length);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, bytes.length - 4)), bytes.length - 4);
  return bytes;
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

const bedrock = ({ messages }) => {
  const results = messages
    .at(-1)
    .content.filter((one) => one.toolResult)
    .map((one) => one.toolResult);
  const calls = messages[1]?.content.filter((one) => one.toolUse).map((one) => one.toolUse) ?? [];
  const call = (city, contentBlockIndex) => [
    frame("contentBlockStart", {
      contentBlockIndex,
      start: { toolUse: { toolUseId: `tooluse_${contentBlockIndex}`, name: "weather" } },
    }),
    frame("contentBlockDelta", {
      contentBlockIndex,
      delta: { toolUse: { input: JSON.stringify({ city }) } },
    }),
    frame("contentBlockStop", { contentBlockIndex }),
  ];
  const text = () => {
    const ordered = calls.map((one) => results.find((it) => it.toolUseId === one.toolUseId));
    const text = said(ordered.map((one) => one.content[0].text));
    return [frame("contentBlockDelta", { contentBlockIndex: 0, delta: { text } })];
  };
  const asks = results.length === 0;
  return Buffer.concat([
    frame("messageStart", { role: "assistant" }),
    ...(asks ? cities.flatMap(call) : text()),
    frame("messageStop", { stopReason: asks ? "tool_use" : "end_turn" }),
    frame("metadata", { usage: { inputTokens: 20, outputTokens: 9, totalTokens: 29 } }),
  ]);
};

const sse = "text/event-stream";
const dialects = [
  [/\/messages$/, anthropic, sse],
  [/\/publishers\/anthropic\/models\/[^/]+:streamRawPredict$/, anthropic, sse],
  [/:streamGenerateContent\?alt=sse$/, gemini, sse], // Gemini's own address and Vertex
  [/^\/v2\/chat$/, cohere, sse],
  [/^\/api\/chat$/, ollama, "application/x-ndjson"],
  [/^\/openai\/deployments\/gpt-4o\/chat\/completions/, azure, sse],
  [/^\/model\/[^/]+\/converse-stream$/, bedrock, "application/vnd.amazon.eventstream"],
];

/** Answers a request in one of these formats; returns false for any other. */
export const answerForeign = (url, request, response) => {
  const found = dialects.find(([path]) => path.test(url));
  if (found) {
    const [, answer, type] = found;
    response.writeHead(200, { "Content-Type": type });
    response.end(answer(request));
  }
  return found !== undefined;
};
