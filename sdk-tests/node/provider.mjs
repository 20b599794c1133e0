// Scripted provider that is asked in every dialect: the model's name is the flow that it plays (flows.mjs), or the way
// in which it fails. GET returns the numbers of requests, and of those whose client left, by the gateway's name of the
// model. It prints its port.
import { createServer } from "node:http";
import { hosts, playedBy } from "./models.mjs";

const RETRY_AFTER_SECONDS = 3;
const BETWEEN_WORDS_MILLIS = 10;
const statuses = {
  rejected: 400,
  "too-long": 400,
  "content-filtered": 400,
  "credential-refused": 401,
  "model-forbidden": 403,
  "model-missing": 404,
  limited: 429,
  failing: 500,
};
const dialects = new Set(Object.values(hosts).map(({ dialect }) => dialect));
const asked = {};
const left = {};
const countIn = (counts, name) => (counts[name] = (counts[name] ?? 0) + 1);

const json = (response, status, body, headers = {}) => {
  response.writeHead(status, { "Content-Type": "application/json", ...headers });
  response.end(JSON.stringify(body));
};

const refuse = (response, dialect, fault, message = "as scripted") => {
  const status = statuses[fault];
  const code = dialect.codes[fault];
  const headers = dialect.headers?.(code) ?? {};
  if (fault === "limited") headers["Retry-After"] = RETRY_AFTER_SECONDS;
  json(response, status, dialect.error(status, code, fault === "too-long" ? dialect.tooLong : message), headers);
};

/** Writes a stream to its end, or without one. */
const stream = (response, dialect, reply) => {
  response.writeHead(200, { "Content-Type": dialect.type });
  response.write(dialect.begin(reply));
  if (reply.ends === "never") {
    const timer = setInterval(() => response.write(dialect.word(reply.text)), BETWEEN_WORDS_MILLIS);
    response.on("close", () => clearInterval(timer));
    return;
  }
  for (const word of reply.text?.match(/\S+\s*/g) ?? []) response.write(dialect.word(word));
  const calls = (reply.calls ?? []).map((call, index) => dialect.call(call, index));
  for (const call of calls) response.write(call);
  if (reply.ends === "cut") response.write("", () => setImmediate(() => response.destroy()));
  else response.end(reply.ends === "early" ? "" : dialect.end(reply));
};

const play = (url, body, response) => {
  const dialect = [...dialects].find(({ path }) => path.test(url));
  const model = body.model?.includes("--") ? body.model : decodeURIComponent(url).match(/[^/]+--[a-z.-]+/)[0];
  const { flow, counted } = playedBy(model);
  const chat = dialect.read(body, url, model);
  const reply = chat.wrong ? { fault: "rejected", message: chat.wrong } : flow.play(chat, countIn(asked, counted));
  response.on("close", () => response.writableFinished || countIn(left, counted));
  if (reply.ends === "unheard") return;
  if (reply.ends === "at once") response.destroy();
  else if (reply.fault) refuse(response, dialect, reply.fault, reply.message);
  else if (chat.streams) stream(response, dialect, reply);
  else json(response, 200, dialect.whole(reply));
};

const server = createServer(async (request, response) => {
  if (request.method === "GET") {
    json(response, 200, { asked, left });
    return;
  }
  response.shouldKeepAlive = false; // on a pooled connection, one that dies is tried once more, uncounted
  const parts = [];
  for await (const part of request) parts.push(part);
  const body = JSON.parse(Buffer.concat(parts).toString());
  try {
    play(request.url, body, response);
  } catch (error) {
    console.error(error);
    json(response, 400, { error: { message: `${request.url}: ${error.stack}` } });
  }
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
