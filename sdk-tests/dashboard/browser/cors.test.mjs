// Pages of two origins that call the real binary from Chromium with OpenAI's client: one origin is listed, one is not.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { launch, openPage, OUT } from './chromium.mjs';
import { startGateway } from './gateway.mjs';

const WRONG_KEY = `sk-llm-${'a'.repeat(51)}`;
const NOTHING = { status: null, code: null, id: null, retryAfter: null };
// A provider that refuses, with nine seconds to wait.
const LIMITED = `  tollgate/limited:
    modality: chat
    price: free
    routes: [{ provider: mock, model: "fault/429:9" }]
`;
const CALLS = [
  { name: 'a plain request', body: {}, expected: { status: 200 } },
  { name: 'a streamed request', body: { stream: true }, expected: { status: 200 } },
  { name: 'a wrong key', key: WRONG_KEY, body: {}, expected: { status: 401, code: 'invalid_api_key' } },
  { name: 'an invalid field', body: { temperature: 99 }, expected: { status: 400, code: 'validation_failed' } },
  { name: 'a limit', body: { model: 'tollgate/limited' }, expected: { status: 429, code: 'provider_rate_limited' } },
];
let browser;
let gateway;
const sites = [];

/** A site on loopback with the one page; its port makes it an origin of its own. */
async function startSite() {
  const script = readFileSync(join(OUT, 'cors-page.js'), 'utf8');
  const site = createServer((request, response) => {
    const isScript = request.url === '/page.js';
    response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html');
    response.end(isScript ? script : '<!doctype html><title>An application</title><script src="/page.js"></script>');
  });
  sites.push(site);
  await once(site.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${site.address().port}`;
}

let listed;
let foreign;
before(async () => {
  [browser, listed, foreign] = await Promise.all([launch(), startSite(), startSite()]);
  gateway = await startGateway('gateway-cors', (yaml) =>
    yaml
      .replace('api: { address: 127.0.0.1:0 }', `api: { address: 127.0.0.1:0, cors: { origins: ["${listed}"] } }`)
      .replace('\nmodels:\n', `\nmodels:\n${LIMITED}`));
});

after(async () => {
  await browser?.close();
  await gateway?.stop();
  sites.forEach((site) => site.close());
});

async function call(origin, { key = gateway.key, body }) {
  const { page, context } = await openPage(browser);
  await page.goto(origin);
  const read = await page.evaluate(([api, secret, json]) => window.call(api, secret, json), [gateway.api, key, body]);
  await context.close();
  return read;
}

for (const one of CALLS) {
  test(`a page of a listed origin can read ${one.name}, and one of another origin cannot`, async () => {
    const read = await call(listed, one);
    assert.deepEqual({ ...read, ...one.expected }, read);
    assert.match(read.id, /^req_/);
    if (read.status === 200) {
      assert.ok(read.hasText);
      assert.ok(Number(read.cost) > 0);
    }
    if (read.status === 429) {
      assert.ok(Number(read.retryAfter) > 0);
    }
    assert.deepEqual(await call(foreign, one), NOTHING);
  });
}
