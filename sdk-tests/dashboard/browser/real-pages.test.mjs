// The pages over a store with something in it, on the real binary: looks, policy, and what pages of other origins can do.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { typesOf } from './api-types.mjs';
import { launch, openPage, OUT, picture } from './chromium.mjs';
import { ask, callFrom, startGateway, until } from './gateway.mjs';
import { inspect, looking, LOOKS, visit } from './inspect.mjs';

const TYPES = new URL('../../../proxy-server/src/main/dashboard/app/replies.d.ts', import.meta.url);
const PICTURE_BYTES_MAX = 150_000;
const OWNER = { name: 'Ada', email: 'ada@example.com', password: 'correct horse 9 battery' };
// Stays a text wherever a key's name is shown.
const HOSTILE = '<img src=x onerror=alert(1)>';
let browser;
let gateway;
let cookies;
let org;
let key;
let request;
let invitation;

before(async () => {
  browser = await launch();
  gateway = await startGateway('gateway-pages');
  const { page, context } = await openPage(browser);
  await page.goto(`${gateway.url}/sign-in`);
  const [, token] = gateway.link.split('#');
  const made = await callFrom(page, 'POST', '/setup', { token, ...OWNER });
  assert.equal(made.status, 201);
  org = made.body.memberships[0].org.id;
  for (const [name, budget] of [[HOSTILE, null], ['support bot', 2_000], ['batch', 5_000_000]]) {
    const { body } = await callFrom(page, 'POST', `/orgs/${org}/keys`, { name, ...(budget ? { daily_budget_micro: budget } : {}) });
    key = body.key;
    for (let i = 0; i < 8; i++) {
      request = (await ask(gateway, body.secret, { stream: i % 3 === 0, max_tokens: 8 * (i + 1) })).id;
    }
    // A field that does not fit is a refusal in the list.
    await ask(gateway, body.secret, { temperature: 99 });
  }
  invitation = (await callFrom(page, 'POST', `/orgs/${org}/invitations`, { email: 'grace@example.com', role: 'admin' })).body.invite_url;
  await until(async () => (await callFrom(page, 'GET', `/orgs/${org}/requests/${request}`)).status === 200);
  cookies = await context.cookies();
  await context.close();
});

after(async () => {
  await browser?.close();
  await gateway?.stop();
});

async function signedIn(options) {
  const opened = await openPage(browser, options);
  await opened.context.addCookies(cookies);
  return opened;
}

for (const look of LOOKS) {
  test(`axe and the policy find nothing on any page, ${look.colorScheme}, ${look.width} px`, async () => {
    const { page, problems, context } = await signedIn(looking(look));
    const pages = {
      requests: '/', drawer: `/requests?open=${request}`, request: `/requests/${request}`, keys: '/keys', 'key-new': '/keys/new', key: `/keys/${key.id}`,
      webhooks: '/webhooks', credits: '/credits', members: '/members', organization: '/settings', audit: '/audit', account: '/account',
      'operator-organizations': '/operator/organizations', 'operator-users': '/operator/users', missing: '/nothing/here',
    };
    const alone = await openPage(browser, looking(look), problems);
    const found = await inspect(page, Object.entries(pages), async ([name, path]) => {
      await visit(page, gateway.url + path);
      assert.equal(await page.locator('main img').count(), 0);
      assert.equal(await page.locator('.failed').count(), 0, `${path}: ${await page.locator('main').innerText()}`);
      await picture(page, `${name}-${look.colorScheme}-${look.width}`);
    });
    const links = { signIn: '/sign-in', verify: '/verify#t', reset: '/reset#t', invite: `/invite#${invitation.split('#')[1]}` };
    Object.assign(found, await inspect(alone.page, Object.entries(links), async ([, path]) => {
      await alone.page.goto('about:blank'); // another fragment alone would load nothing
      await visit(alone.page, gateway.url + path);
    }));
    await Promise.all([context.close(), alone.context.close()]);
    assert.deepEqual(found, {});
    assert.deepEqual(problems, []);
  });
}

test('pages of other origins change nothing, with the cookie of the session and without', async () => {
  const calls = [
    ['POST', `/orgs/${org}/keys/${key.id}/revoke`], ['POST', `/orgs/${org}/keys`], ['POST', '/auth/sign-out'], ['DELETE', '/me/sessions'],
  ];
  const posted = [];
  const [foreign, another] = [0, 1].map(() => createServer((incoming, response) => {
    if (incoming.method === 'POST') {
      posted.push(incoming.headers.cookie ?? '');
    }
    response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>foreign</title>');
  }).unref());
  await Promise.all([foreign, another].map((one) => new Promise((resolve) => one.listen(0, resolve))));
  const { page, context } = await signedIn();
  const state = async (from) => [await callFrom(from, 'GET', `/orgs/${org}/keys?state=active`), await callFrom(from, 'GET', '/me/sessions')].map(({ body }) => body.data.map(({ id }) => id));
  await page.goto(gateway.url);
  const before = await state(page);
  const seen = [];
  context.on('response', (response) => {
    if (response.url().startsWith(`${gateway.url}/api`) && response.request().method() !== 'GET') {
      seen.push(response.status());
    }
  });
  // The same site with another port, to which the browser gives the cookie, and another site.
  for (const host of ['127.0.0.1', 'localhost']) {
    const attacker = await context.newPage();
    await attacker.goto(`http://${host}:${foreign.address().port}/`);
    for (const [method, path] of calls) {
      const url = `${gateway.url}/api/v1${path}`;
      const isRefused = await attacker.evaluate(async ([verb, to]) => {
        const tries = [
          { method: 'POST', mode: 'no-cors', body: '{"name":"foreign"}', headers: { 'Content-Type': 'text/plain' } }, { method: 'POST', mode: 'no-cors' },
          { method: verb, headers: { 'X-Requested-With': 'tollgate', 'Content-Type': 'application/json' }, body: '{"name":"foreign"}' },
        ];
        return Promise.all(tries.map((one) => fetch(to, { credentials: 'include', ...one }).then(({ type }) => type === 'opaque', () => true)));
      }, [method, url]);
      assert.deepEqual(isRefused, [true, true, true]);
      for (const enctype of ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain']) {
        const victim = await context.newPage();
        await victim.goto(attacker.url());
        await Promise.all([victim.waitForURL(url), victim.evaluate(([to, type]) => {
          const form = Object.assign(document.createElement('form'), { method: 'post', action: to, enctype: type });
          form.append(Object.assign(document.createElement('input'), { name: '{"name":"foreign","x":"', value: '"}' }));
          document.body.append(form);
          form.submit();
        }, [url, enctype])]);
        await victim.close();
      }
    }
    await attacker.evaluate((to) => fetch(to, { method: 'POST', mode: 'no-cors', credentials: 'include' }), `http://127.0.0.1:${another.address().port}/`);
    await attacker.close();
  }
  // Questions before a call are 404, and so is a form's POST where only DELETE is a call.
  assert.deepEqual([...new Set(seen)].sort(), [403, 404, 415]);
  // What came to a third port shows that the browser sent the cookie along, from the same site alone.
  assert.deepEqual(posted.map((cookie) => cookie.includes('tollgate_session=')), [true, false]);
  assert.deepEqual(await state(page), before);
  await context.close();
});

test('the types of replies are made from the description of the API', async () => {
  const used = readFileSync(new URL('types.ts', TYPES), 'utf8').match(/\w+/g);
  const types = typesOf(await (await fetch(`${gateway.url}/api/v1/openapi.json`)).json(), used);
  if (process.env.DASHBOARD_TYPES === 'write') {
    writeFileSync(TYPES, types);
  }
  assert.equal(readFileSync(TYPES, 'utf8'), types, 'outdated: sdk-tests/dashboard/run --types writes it');
});

test('the picture of the README', async () => {
  const { page, context } = await signedIn({ viewport: { width: 1440, height: 760 }, colorScheme: 'light' });
  await visit(page, `${gateway.url}/requests?range=1h&live=0`);
  await page.locator('.table:visible tbody tr').nth(10).waitFor();
  mkdirSync(OUT, { recursive: true });
  const path = join(OUT, 'dashboard.png');
  await page.screenshot({ path });
  await context.close();
  assert.ok(statSync(path).size <= PICTURE_BYTES_MAX, `${statSync(path).size} bytes`);
});
