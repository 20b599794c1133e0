// The usual flows of every client, over chats and Responses.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { clients, told } from "./clients.mjs";
import { providerURL } from "./gateway.mjs";

const CITIES = ["Ulm", "Bonn", "Rome", "Oslo", "Kyiv", "Bern"];
const counts = async () => (await fetch(providerURL)).json();

const becomes = async (wanted) => {
  for (let left = 100; left > 0 && !(await wanted()); left--) await new Promise((done) => setTimeout(done, 20));
  assert.ok(await wanted());
};

for (const [name, client] of Object.entries(clients)) {
  describe(name, { concurrency: true }, () => {
    test("a stream has its text, its finish and its usage", async () => {
      const whole = { text: "One two three four.", tokens: 29, finish: "stop" };
      assert.deepEqual(await client.stream("flow/words"), whole);
    });

    test("three rounds of two calls at once are answered", async () => {
      assert.equal(await client.rounds("flow/rounds"), CITIES.map((city) => `sunny in ${city}`).join(", "));
    });

    test("the answer of the first turn is in the second", async () => {
      assert.equal(await client.turns("flow/turns"), "Before: Before: nothing..");
    });

    test("a strict schema is kept", async () => {
      assert.deepEqual(await client.schema("flow/schema"), { city: "Ulm", celsius: 21 });
    });

    test("a picture is seen", async () => {
      assert.equal(await client.picture("flow/picture"), "a picture");
    });

    test("a rate limit is waited out", async () => {
      assert.equal(await client.ask("flow/limited", `I am ${name}.`), "served");
    });

    test("errors have their status and code", async () => {
      for (const [model, key, status, code] of [
        ["flow/absent", undefined, 404, "model_not_found"],
        ["flow/words", "sk-llm-nonsense", 401, "invalid_api_key"],
        ["counted/context-too-long", undefined, 400, "validation_failed"],
      ]) {
        const error = await client.ask(model, "Go.", key).then(() => assert.fail("no error"), told);
        assert.equal(error.status, status, model);
        assert.equal(error.code, code, model);
      }
    });

    test("a stream that breaks off is an error behind its text", async () => {
      const { text, error } = await client.read("counted/cut-amid-content");
      assert.equal(text, "Once");
      assert.ok(error, "the short answer was taken for a whole one");
    });
  });

  test(`${name}: a stream that is cancelled ends at the provider`, async () => {
    const before = (await counts())["endless, left"] ?? 0;
    const abort = new AbortController();
    let pieces = 0;
    await client.read("counted/endless", () => ++pieces === 3 && abort.abort(), abort.signal);
    assert.ok(pieces >= 3);
    await becomes(async () => (await counts())["endless, left"] === before + 1);
  });
}
