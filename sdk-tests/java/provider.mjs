// Provider in six formats that plays flows, and recordings: "replay FILE TYPE" are the words that ask for one. GET with
// the words of an endless stream as its query is answered when that stream was left. It prints its port.
import { EventEmitter, once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { dialects } from "./dialects.mjs";
import { answer } from "./flows.mjs";

const left = new Set();
const leaving = new EventEmitter();
const refusals = {
  limited: [429, "slow down", { "Retry-After": "3" }],
  failing: [500, "out of order", {}],
  long: [400, null, {}],
};

const refuse = (dialect, kind, response) => {
  const [status, message, headers] = refusals[kind];
  response.writeHead(status, { "Content-Type": "application/json", ...headers });
  response.end(JSON.stringify(dialect.refusal(message ?? dialect.tooLong, status)));
};

/** A stream that was recorded as an array has the same events, which the gateway asks for. */
const eventsOf = (all) => all.map((one) => `data: ${JSON.stringify(one)}\r\n\r\n`).join("");

const replay = (words, response) => {
  const [, file, type] = words.split(" ");
  const body = readFileSync(file);
  response.writeHead(200, { "Content-Type": type });
  response.end(type === "text/event-stream" && body[0] === "[".charCodeAt(0) ? eventsOf(JSON.parse(body)) : body);
};

const repeat = (dialect, { text }, words, response) => {
  let position = 0;
  const timer = setInterval(() => response.write(dialect.word(text, position++)), 10);
  response.on("close", () => {
    clearInterval(timer);
    left.add(words);
    leaving.emit(words);
  });
};

const stream = (dialect, reply, words, response) => {
  response.writeHead(200, { "Content-Type": dialect.type });
  response.write(dialect.begin());
  if (reply.isEndless) return repeat(dialect, reply, words, response);
  (reply.text.match(/\S+\s*/g) ?? []).forEach((word, position) => response.write(dialect.word(word, position)));
  if (reply.isCut) return response.write(" ", () => setImmediate(() => response.destroy()));
  reply.calls.forEach((call, index) => response.write(dialect.call(call, index)));
  response.end(dialect.end(reply));
};

const server = createServer(async (request, response) => {
  if (request.method === "GET") {
    const words = decodeURIComponent(request.url.split("?")[1]);
    if (!left.has(words)) await once(leaving, words);
    return response.end();
  }
  response.shouldKeepAlive = false; // on a pooled connection, one that dies is tried once more
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  const body = JSON.parse(Buffer.concat(pieces).toString());
  const dialect = dialects.find(({ path }) => path.test(request.url));
  const asked = dialect.read(body);
  if (asked.words.startsWith("replay ")) return replay(asked.words, response);
  const reply = answer(asked);
  if (reply.refused) return refuse(dialect, reply.refused, response);
  if (dialect.isStream(request.url, body)) return stream(dialect, reply, asked.words, response);
  response.writeHead(200, { "Content-Type": "application/json" });
  response.end(JSON.stringify(dialect.plain(reply)));
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
