// Provider that always fails in the way its model is named, and counts its requests: GET returns the counts by model.
// The usual flows are answered by flows.mjs, requests in other formats than OpenAI's by foreign.mjs. It prints its port.
import { createServer } from "node:http";
import { answerFlow } from "./flows.mjs";
import { answerForeign } from "./foreign.mjs";

const asked = {};

const refuse = (status, code, headers = {}) => (response) => {
  const error = { message: "as scripted", type: "t", param: null, code };
  response.writeHead(status, { "Content-Type": "application/json", ...headers });
  response.end(JSON.stringify({ error }));
};

const chunk = (content) =>
  `data: ${JSON.stringify({
    id: "c-1",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index: 0, delta: { role: "assistant", content }, finish_reason: null }],
  })}\n\n`;

const faults = {
  "credential-refused": refuse(401, "invalid_api_key"),
  "context-too-long": refuse(400, "context_length_exceeded"),
  "content-filtered": refuse(400, "content_filter"),
  rejected: refuse(422, "wrong"),
  "rate-limited": refuse(429, "rate_limited", { "Retry-After": "3" }),
  "model-missing": refuse(404, "model_not_found"),
  unavailable: refuse(503, "overloaded"),
  disconnected: (response) => response.destroy(),
  silent: () => {},
  "cut-amid-content": (response) => {
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    response.write(chunk("Once"), () => setImmediate(() => response.destroy()));
  },
  endless: (response) => {
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    const timer = setInterval(() => response.write(chunk("word ")), 10);
    response.on("close", () => {
      clearInterval(timer);
      asked["endless, left"] = (asked["endless, left"] ?? 0) + 1;
    });
  },
};

const server = createServer(async (request, response) => {
  if (request.method === "GET") {
    response.end(JSON.stringify(asked));
    return;
  }
  response.shouldKeepAlive = false; // on a pooled connection, one that dies is tried once more, uncounted
  const parts = [];
  for await (const part of request) parts.push(part);
  const body = JSON.parse(Buffer.concat(parts).toString());
  if (answerForeign(request.url, body, response) || answerFlow(body, response)) return;
  const { model } = body;
  asked[model] = (asked[model] ?? 0) + 1;
  faults[model](response);
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
