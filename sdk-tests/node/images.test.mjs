// Image generation, and edits with a mask, by the official SDK.
import assert from "node:assert/strict";
import { test } from "node:test";
import OpenAI, { toFile } from "openai";
import { apiKey, baseURL } from "./gateway.mjs";

const client = new OpenAI({ apiKey, baseURL, maxRetries: 0 });
const isPng = (bytes) => bytes.subarray(1, 4).toString("latin1") === "PNG";
const width = (png) => png.readUInt32BE(16);

test("images in base64 have the requested size and report their cost", async () => {
  const drawn = await client.images.generate({
    model: "test/image", prompt: "A gate.", n: 2, size: "512x512", response_format: "b64_json" });
  assert.equal(drawn.data.length, 2);
  for (const { b64_json } of drawn.data) {
    const png = Buffer.from(b64_json, "base64");
    assert.ok(isPng(png));
    assert.equal(width(png), 512);
  }
  assert.equal(drawn.provider, "mock");
  assert.equal(drawn.usage.images, 2);
  assert.equal(drawn.usage.x_llm_cost_micro, 80000);
});

test("a URL leads to an image", async () => {
  const drawn = await client.images.generate({ model: "test/image", prompt: "A gate." });
  const png = Buffer.from(await (await fetch(drawn.data[0].url)).arrayBuffer());
  assert.ok(isPng(png));
  assert.equal(width(png), 1024);
});

test("an image is edited with a mask", async () => {
  const bytes = Buffer.from("iVBORw0KGgoAAAAN", "base64");
  const edited = await client.images.edit({
    model: "test/image", image: await toFile(bytes, "gate.png", { type: "image/png" }),
    mask: await toFile(bytes, "mask.png", { type: "image/png" }), prompt: "At night.",
    size: "256x256", response_format: "b64_json" });
  assert.equal(width(Buffer.from(edited.data[0].b64_json, "base64")), 256);
});

test("several images are combined into one", async () => {
  const bytes = Buffer.from("iVBORw0KGgoAAAAN", "base64");
  const files = [await toFile(bytes, "a.png"), await toFile(bytes, "b.png")];
  const edited = await client.images.edit({ model: "test/image", image: files, prompt: "Both." });
  assert.equal(edited.data.length, 1);
});

test("parameters out of bounds are named", async () => {
  await assert.rejects(
    client.images.generate({ model: "test/image", prompt: "A gate.", n: 11 }),
    (e) => e.status === 400 && e.code === "validation_failed" && e.param === "n");
});

test("a repeated idempotency key replays, and refuses another body", async () => {
  const asked = { model: "test/image", prompt: "A gate.", size: "256x256", response_format: "b64_json" };
  const options = { headers: { "Idempotency-Key": `node-${crypto.randomUUID()}` } };
  const first = await client.images.generate(asked, options).withResponse();
  const again = await client.images.generate(asked, options).withResponse();
  assert.equal(first.response.headers.get("idempotent-replayed"), null);
  assert.equal(again.response.headers.get("idempotent-replayed"), "true");
  assert.deepEqual(again.data.data, first.data.data);
  assert.equal(again.data.created, first.data.created);
  assert.notEqual(again.request_id, first.request_id);
  await assert.rejects(
    client.images.generate({ ...asked, prompt: "A wall." }, options),
    (e) => e.status === 409 && e.code === "idempotency_conflict");
});
