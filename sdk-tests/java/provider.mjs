// Provider in the formats of six, which plays the flow that the user's first word names, or a recording: "replay FILE
// TYPE". A plain GET with the words of an endless stream as its query is answered when that stream was left. It prints
// its port.
import { EventEmitter, once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { anthropic } from "../node/dialects/anthropic.mjs";
import { bedrock } from "../node/dialects/bedrock.mjs";
import { cohere } from "../node/dialects/cohere.mjs";
import { gemini } from "../node/dialects/gemini.mjs";
import { ollama } from "../node/dialects/ollama.mjs";
import { openai } from "../node/dialects/openai.mjs";
import { flows } from "../node/flows.mjs";

const RETRY_AFTER_SECONDS = "3";
const BETWEEN_WORDS_MILLIS = 10;
const dialects = [openai, anthropic, bedrock, gemini, cohere, ollama];
const statuses = { rejected: 400, "too-long": 400, limited: 429, failing: 500 };
const asked = new Map();
const left = new Set();
const leaving = new EventEmitter();

const count = (words) => {
  asked.set(words, (asked.get(words) ?? 0) + 1);
  return asked.get(words);
};

const refuse = (response, dialect, { fault, message = "as scripted" }) => {
  const status = statuses[fault];
  const code = dialect.codes[fault];
  const wait = fault === "limited" ? { "Retry-After": RETRY_AFTER_SECONDS } : {};
  response.writeHead(status, { "Content-Type": "application/json", ...dialect.headers?.(code), ...wait });
  response.end(JSON.stringify(dialect.error(status, code, fault === "too-long" ? dialect.tooLong : message)));
};

/** A stream that was recorded as an array has the same events, which the gateway asks for. */
const eventsOf = (all) => all.map((one) => `data: ${JSON.stringify(one)}\r\n\r\n`).join("");

const replay = (response, words) => {
  const [, file, type] = words.split(" ");
  const body = readFileSync(file);
  response.writeHead(200, { "Content-Type": type });
  response.end(type === "text/event-stream" && body[0] === "[".charCodeAt(0) ? eventsOf(JSON.parse(body)) : body);
};

const stream = (response, dialect, reply, words) => {
  response.writeHead(200, { "Content-Type": dialect.type });
  response.write(dialect.begin(reply));
  if (reply.ends === "never") {
    const timer = setInterval(() => response.write(dialect.word(reply.text)), BETWEEN_WORDS_MILLIS);
    response.on("close", () => {
      clearInterval(timer);
      left.add(words);
      leaving.emit(words);
    });
    return;
  }
  for (const word of reply.text?.match(/\S+\s*/g) ?? []) response.write(dialect.word(word));
  if (reply.ends === "cut") return response.write("", () => setImmediate(() => response.destroy()));
  (reply.calls ?? []).forEach((call, index) => response.write(dialect.call(call, index)));
  response.end(dialect.end(reply));
};

const play = (response, url, body) => {
  const dialect = dialects.find(({ path }) => path.test(url));
  const chat = dialect.read(body, url, body.model ?? decodeURIComponent(url));
  const words = chat.messages.find(({ role }) => role === "user").text;
  const [flow] = words.split(" ");
  if (flow === "replay") return replay(response, words);
  const reply = flows[flow].play(chat, count(words));
  if (reply.fault) return refuse(response, dialect, reply);
  if (chat.streams) return stream(response, dialect, reply, words);
  response.writeHead(200, { "Content-Type": "application/json" });
  response.end(JSON.stringify(dialect.whole(reply)));
};

const server = createServer(async (request, response) => {
  if (request.method === "GET") {
    const words = decodeURIComponent(request.url.split("?")[1]);
    if (!left.has(words)) await once(leaving, words);
    return response.end();
  }
  response.shouldKeepAlive = false; // on a pooled connection, one that dies is tried once more
  const parts = [];
  for await (const part of request) parts.push(part);
  play(response, request.url, JSON.parse(Buffer.concat(parts).toString()));
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
