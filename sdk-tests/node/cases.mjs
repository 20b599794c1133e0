// The cases of every client in every dialect. A client has an id of models.mjs and:
//   plain(model, options), stream(model)   the answer: its text, tokens and finish
//   read(model, options)                   the texts of a streamed answer, one by one
//   rounds(model, stream)                  the last text behind calls of the tool `weather`
//   turns(model), schema(model), picture(model)
//   errors, seen(error)                    the client's classes by status; class, status, code, message of an error
// where options are apiKey, maxRetries, fetch, and signal for read.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { counts, narrowKey } from "./gateway.mjs";
import { clientIds, dialectNames } from "./models.mjs";

const CONCURRENCY = 3;
const CITIES = ["Ulm", "Bonn", "Rome", "Oslo", "Kyiv", "Bern"];
const SAID = CITIES.map((city) => `${city}: sunny in ${city}`).join(", ");
const WHOLE = { text: "One two three four.", tokens: 29, finish: "stop" };
const once = { maxRetries: 0 };

const failure = (promise) => promise.then((value) => assert.fail(`no error but ${JSON.stringify(value)}`), (e) => e);

/** Reads texts to the end, or to the first error; calls back after each. */
const read = async (texts, after = () => {}) => {
  let text = "";
  try {
    for await (const piece of texts) {
      text += piece;
      after();
    }
    return { text, error: null };
  } catch (error) {
    return { text, error };
  }
};

const becomes = async (wanted) => {
  for (let left = 100; left > 0 && !(await wanted()); left--) await new Promise((done) => setTimeout(done, 20));
  assert.ok(await wanted());
};

/** Returns a fetch that records status, wanted wait and time of each of its answers. */
const recorded = (answers) => async (...request) => {
  const asked = performance.now();
  const response = await fetch(...request);
  const wait = Number(response.headers.get("retry-after") ?? 0);
  answers.push({ asked, answered: performance.now(), status: response.status, waitMillis: wait * 1000 });
  return response;
};

/** Asks for a plain and a streamed answer, and expects the same error of both. */
const fails = async (client, model, options, status, code, { words = /./, name = client.errors[status] } = {}) => {
  const plain = await failure(client.plain(model, { ...once, ...options }));
  const { text, error } = await read(client.read(model, { ...once, ...options }));
  assert.equal(text, "");
  for (const one of [plain, error]) {
    const { message, ...seen } = client.seen(one);
    assert.deepEqual(seen, { name, status, code });
    assert.match(message, words);
  }
};

/** Expects an error behind the text of a stream. */
const breaks = async (client, model, wanted) => {
  const { text, error } = await read(client.read(model));
  assert.equal(text, wanted);
  assert.ok(error, "the short answer was taken for a whole one");
  assert.match(client.seen(error).code, /^(stream_interrupted|provider_disconnect)$/);
};

const flows = {
  async "a plain answer is whole"(client, model) {
    assert.deepEqual(await client.plain(model("words")), WHOLE);
  },
  async "a stream has its text, its finish and its usage"(client, model) {
    assert.deepEqual(await client.stream(model("words")), WHOLE);
  },
  async "three rounds of two calls at once are answered"(client, model) {
    assert.equal(await client.rounds(model("rounds"), false), SAID);
  },
  async "three rounds of two streamed calls at once are answered"(client, model) {
    assert.equal(await client.rounds(model("rounds"), true), SAID);
  },
  async "the answer of the first turn is in the second"(client, model) {
    assert.equal(await client.turns(model("turns")), "Before: Before: nothing..");
  },
  async "a strict schema is kept"(client, model) {
    assert.deepEqual(await client.schema(model("schema")), { city: "Ulm", celsius: 21 });
  },
  async "a picture is seen"(client, model) {
    assert.equal(await client.picture(model("picture")), "a picture");
  },
  async "a rate limit is waited out"(client, model) {
    const answers = [];
    const fetch = recorded(answers);
    assert.equal((await client.plain(model(`limited-once.${client.id}`), { fetch })).text, "served");
    assert.equal(answers[0].status, 429);
    assert.ok(answers[0].waitMillis >= 2000);
    assert.ok(answers.at(-1).asked - answers[0].answered >= answers[0].waitMillis - 50);
    if (client.honoursRetryAfter) assert.equal(answers.length, 2);
  },
  async "a failure of the provider is retried"(client, model) {
    const answers = [];
    const fetch = recorded(answers);
    assert.equal((await client.plain(model(`failing-twice.${client.id}`), { fetch })).text, "served");
    assert.deepEqual(answers.map(({ status }) => status), [503, 200]);
  },
  async "a refused value is its error"(client, model) {
    await fails(client, model("rejected"), {}, 400, "validation_failed", { words: /The value of that member/ });
  },
  async "a prompt that is too long is its error"(client, model, dialect) {
    const expected = { words: /token|context|too long/, name: client.tooLong?.(dialect) };
    await fails(client, model("too-long"), {}, 400, "validation_failed", expected);
  },
  async "the provider's refusal of its key is its error"(client, model) {
    await fails(client, model(`credential-refused.${client.id}`), {}, 502, "provider_error");
  },
  async "the provider's refusal of a model is its error"(client, model) {
    await fails(client, model(`model-forbidden.${client.id}`), {}, 502, "provider_error");
  },
  async "a model that the provider does not know is its error"(client, model) {
    await fails(client, model("model-missing"), {}, 502, "provider_error");
  },
  async "a lasting rate limit is its error"(client, model) {
    await fails(client, model("limited"), {}, 429, "provider_rate_limited");
  },
  async "a lasting failure is its error"(client, model) {
    await fails(client, model("failing"), {}, 503, "provider_unavailable");
  },
  async "a stream that breaks off amid its text is an error behind it"(client, model) {
    await breaks(client, model("cut-amid-content"), "Once");
    await breaks(client, model("ended-amid-content"), "Once");
  },
  async "a stream that breaks off amid its calls is an error"(client, model) {
    await breaks(client, model("cut-amid-calls"), "");
  },
};

/** A stream that is cancelled before its first word ends at the provider, which counts for this client's own model. */
const cancelsEarly = async (client, model) => {
  const abort = new AbortController();
  const reading = read(client.read(model, { signal: abort.signal }));
  await becomes(async () => (await counts()).asked[model] === 1);
  abort.abort();
  assert.equal((await reading).text, "");
  await becomes(async () => (await counts()).left[model] === 1);
};

/** So does one that is cancelled amid its text. */
const cancels = async (client, model) => {
  const abort = new AbortController();
  let pieces = 0;
  await read(client.read(model, { signal: abort.signal }), () => ++pieces === 3 && abort.abort());
  assert.ok(pieces >= 3);
  await becomes(async () => (await counts()).left[model] === 1);
};

/** Plays every flow with a client, in each dialect. */
export const playAll = (client) => {
  describe(client.name, { concurrency: dialectNames.length }, () => {
    test("a wrong key is its error", () =>
      fails(client, "openai/words", { apiKey: "sk-llm-nonsense" }, 401, "invalid_api_key"));
    test("a model that the key may not use is its error", () =>
      fails(client, "openai/words", { apiKey: narrowKey }, 403, "model_not_allowed"));
    test("a model that does not exist is its error", () =>
      fails(client, "openai/absent", {}, 404, "model_not_found"));

    for (const dialect of dialectNames) {
      const model = (name) => `${dialect}/${name}`;
      describe(dialect, { concurrency: CONCURRENCY }, () => {
        for (const [title, flow] of Object.entries(flows)) test(title, () => flow(client, model, dialect));
        test("a stream that is cancelled ahead of its text ends at the provider", () =>
          cancelsEarly(client, model(`silent.${client.id}`)));
      });
    }

    // One dialect for each client: the gateway reads on for the charge of streams of who leaves more than ten of them.
    const dialect = dialectNames[clientIds.indexOf(client.id) % dialectNames.length];
    test("a stream that is cancelled amid its text ends at the provider", () =>
      cancels(client, `${dialect}/endless.${client.id}`));
  });
};
