// Clients that are still sending receive the 413.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { request } from "undici";
import { apiKey, baseURL } from "./gateway.mjs";

const url = `${baseURL}/chat/completions`;
const upload = Buffer.alloc(30 * 1024 * 1024, "x");
const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };

test("undici sees 413 on a 30 MiB body", async () => {
  const { statusCode, body } = await request(url, { method: "POST", headers, body: upload });
  assert.equal(statusCode, 413);
  assert.equal((await body.json()).error.code, "request_too_large");
});

for (const extra of [[], ["-H", "Expect:"], ["-H", "Transfer-Encoding: chunked"]]) {
  test(`curl sees 413 on a 30 MiB body ${extra.join(" ")}`, async () => {
    const folder = mkdtempSync(join(tmpdir(), "tollgate-"));
    try {
      const file = join(folder, "upload");
      writeFileSync(file, upload);
      const { stdout } = await promisify(execFile)("curl", [
        "--silent", "--show-error", "--max-time", "30", "--write-out", "\n%{http_code}",
        "-H", `Authorization: Bearer ${apiKey}`, "-H", "Content-Type: application/json",
        ...extra, "--data-binary", `@${file}`, url,
      ]);
      assert.match(stdout, /\n413$/);
      assert.match(stdout, /request_too_large/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}
