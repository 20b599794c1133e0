// Amazon Bedrock's Converse, whose streams are Amazon's frames.
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

const usage = { inputTokens: 20, outputTokens: 9, totalTokens: 29 };
const stopReason = ({ calls }) => (calls ? "tool_use" : "end_turn");
const textOf = (blocks) => blocks.map(({ text }) => text ?? "").join("");

const messageOf = ({ role, content }) => {
  const results = content.flatMap(({ toolResult: one }) =>
    one ? [{ role: "tool", id: one.toolUseId, text: textOf(one.content), pictures: [], calls: [] }] : []);
  if (results.length > 0) return results;
  return [{
    role,
    text: textOf(content),
    pictures: content.flatMap(({ image }) => image?.source.bytes ?? []),
    calls: content.flatMap(({ toolUse: one }) =>
      one ? [{ id: one.toolUseId, name: one.name, given: one.input }] : []),
  }];
};

/** Returns the schema of an answer, which Converse takes as a text. */
const schemaOf = (output) => {
  const schema = output?.textFormat?.structure?.jsonSchema?.schema;
  return schema && JSON.parse(schema);
};

export const bedrock = {
  path: /^\/model\/[^/]+\/converse(-stream)?$/,
  type: "application/vnd.amazon.eventstream",
  codes: {
    rejected: "ValidationException",
    "credential-refused": "UnrecognizedClientException",
    "model-forbidden": "AccessDeniedException",
    "model-missing": "ResourceNotFoundException",
    limited: "ThrottlingException",
    failing: "InternalServerException",
    "too-long": "ValidationException",
  },
  tooLong: "Input is too long for requested model.",
  read: ({ messages, toolConfig, outputConfig }, url) => ({
    streams: url.endsWith("-stream"),
    messages: messages.flatMap(messageOf),
    tools: (toolConfig?.tools ?? []).map(({ toolSpec }) => toolSpec.name),
    schema: schemaOf(outputConfig),
  }),
  whole: (reply) => ({
    output: {
      message: {
        role: "assistant",
        content: reply.calls
          ? reply.calls.map(({ id, name, given }) => ({ toolUse: { toolUseId: id, name, input: given } }))
          : [{ text: reply.text }],
      },
    },
    stopReason: stopReason(reply),
    usage,
    metrics: { latencyMs: 1 },
  }),
  begin: () => frame("messageStart", { role: "assistant" }),
  word: (text) => frame("contentBlockDelta", { contentBlockIndex: 0, delta: { text } }),
  call: ({ id, name, given }, contentBlockIndex) =>
    Buffer.concat([
      frame("contentBlockStart", { contentBlockIndex, start: { toolUse: { toolUseId: id, name } } }),
      frame("contentBlockDelta", { contentBlockIndex, delta: { toolUse: { input: JSON.stringify(given) } } }),
      frame("contentBlockStop", { contentBlockIndex }),
    ]),
  end: (reply) =>
    Buffer.concat([
      frame("messageStop", { stopReason: stopReason(reply) }),
      frame("metadata", { usage, metrics: { latencyMs: 1 } }),
    ]),
  headers: (code) => ({ "x-amzn-ErrorType": code }),
  error: (status, code, message) => ({ message }),
};
