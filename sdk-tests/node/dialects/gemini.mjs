// Gemini's own API, also on Vertex AI. Models from 3 on refuse a call of the current turn without its signature.
import { data } from "./sse.mjs";

const SIGNATURE = "c2lnbmVk";
const SIGNATURES = [SIGNATURE, "skip_thought_signature_validator"];
const head = { modelVersion: "m", responseId: "r" };
const usageMetadata = { promptTokenCount: 20, candidatesTokenCount: 9, totalTokenCount: 29 };
const candidate = (parts, more) => ({ candidates: [{ content: { parts, role: "model" }, ...more }], ...head });
const called = ({ id, name, given }, index) => ({
  functionCall: { id, name, args: given },
  ...(index === 0 ? { thoughtSignature: SIGNATURE } : {}),
});

/** Calls and results without an id belong together by their order. */
const messagesOf = (contents) => {
  let calls = 0;
  let results = 0;
  return contents.flatMap(({ role, parts }) => {
    const answers = parts.flatMap(({ functionResponse: one }) =>
      one ? [{ role: "tool", id: one.id ?? results++, text: one.response.output, pictures: [], calls: [] }] : []);
    if (answers.length > 0) return answers;
    const asked = parts.flatMap(({ functionCall: one }) =>
      one ? [{ id: one.id ?? calls++, name: one.name, given: one.args }] : []);
    return [{
      role: role === "model" ? "assistant" : "user",
      text: parts.map(({ text }) => text ?? "").join(""),
      pictures: parts.flatMap(({ inlineData }) => inlineData?.data ?? []),
      calls: asked,
    }];
  });
};

/** Returns whether the first call of each model's turn has a signature, where the model's version demands it. */
const isSigned = (model, contents) =>
  !model.startsWith("gemini-3") ||
  contents
    .map(({ parts }) => parts.find(({ functionCall }) => functionCall))
    .every((part) => !part || SIGNATURES.includes(part.thoughtSignature));

export const gemini = {
  path: /:(streamGenerateContent\?alt=sse|generateContent)$/,
  type: "text/event-stream",
  codes: {
    rejected: "INVALID_ARGUMENT",
    "credential-refused": "UNAUTHENTICATED",
    "model-forbidden": "PERMISSION_DENIED",
    "model-missing": "NOT_FOUND",
    limited: "RESOURCE_EXHAUSTED",
    failing: "INTERNAL",
    "too-long": "INVALID_ARGUMENT",
  },
  tooLong: "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
  read: ({ contents, tools, generationConfig: config }, url, model) => ({
    streams: url.includes(":stream"),
    messages: messagesOf(contents),
    tools: (tools ?? []).flatMap(({ functionDeclarations }) => functionDeclarations.map(({ name }) => name)),
    schema: config?.responseMimeType === "application/json" ? config.responseJsonSchema : undefined,
    wrong: isSigned(model, contents) ? undefined : "Function call is missing a thought_signature",
  }),
  whole: (reply) => ({
    ...candidate(reply.calls ? reply.calls.map(called) : [{ text: reply.text }], { finishReason: "STOP" }),
    usageMetadata,
  }),
  begin: () => "",
  word: (text) => data(candidate([{ text }])),
  call: (call, index) => data(candidate([called(call, index)])),
  end: () => data({ ...candidate([{ text: "" }], { finishReason: "STOP" }), usageMetadata }),
  error: (code, status, message) => ({
    error: {
      code,
      message,
      status,
      details: code === 429 ? [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "3s" }] : [],
    },
  }),
};
