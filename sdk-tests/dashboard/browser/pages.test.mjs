// Every page with made-up answers: nothing breaks the policy, hostile texts stay texts, axe finds nothing serious.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { FakeApi, serve } from './fake-api.mjs';
import { launch, openPage, picture } from './chromium.mjs';

const AXE = readFileSync(new URL('../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');
const PAGES = {
  requests: '/', drawer: '/requests?open=req_01HZZZZZZZZZZZZZZZZZZZZ1057', request: '/requests/req_01HZZZZZZZZZZZZZZZZZZZZ1057', keys: '/keys', 'key-new': '/keys/new',
  key: '/keys/Ab3dEf7h', webhooks: '/webhooks', credits: '/credits', members: '/members', organization: '/settings', audit: '/audit', account: '/account',
  'operator-organizations': '/operator/organizations', 'operator-users': '/operator/users', missing: '/nothing/here',
};
const PUBLIC = { 'sign-in': '/sign-in', verify: '/verify#t', reset: '/reset#t', invite: '/invite#t' };
const HOSTILE = [
  '<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', "'-alert(1)-'", '<svg onload=alert(1)>', 'javascript:alert(1)', '${alert(1)}', '{{constructor.constructor("alert(1)")()}}',
  '</title><script>alert(1)</script>', '<iframe srcdoc="<script>alert(1)</script>">', '<a href="javascript:alert(1)">x</a>', '&lt;script&gt;', '%3Cscript%3E', '\u202Egnp.exe', 'a\u0000b', '=cmd()',
  '<style>*{display:none}</style>', '<base href=//evil>', '<form action=//evil><input>', '--><script>alert(1)</script>', '<math><mtext><img src=x onerror=alert(1)>', '__proto__', 'constructor',
  '"onmouseover="alert(1)', '<details open ontoggle=alert(1)>', 'x'.repeat(300), 'https://evil.example/', '\u{1F4A9}', '`alert(1)`', "'; DROP TABLE api_key; --", '<meta http-equiv=refresh content=0>',
];

let browser;
let server;
let api;

before(async () => {
  browser = await launch();
  server = await serve(() => api);
});

after(async () => {
  await browser.close();
  await server.stop();
});

async function visit(page, path) {
  await page.goto(server.url + path);
  await page.locator('h1').first().waitFor();
  await page.locator('.skeleton').first().waitFor({ state: 'detached' });
}

async function serious(page) {
  const session = await page.context().newCDPSession(page);
  // By the debugger: the policy of the page refuses scripts of others, as it should.
  await session.send('Runtime.evaluate', { expression: AXE });
  const { result } = await session.send('Runtime.evaluate', {
    expression: `axe.run().then((r) => JSON.stringify(r.violations.filter((v) => ['serious', 'critical'].includes(v.impact))
      .map((v) => v.id + ': ' + v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160)).join(' | '))))`,
    awaitPromise: true,
    returnByValue: true,
  });
  return JSON.parse(result.value);
}

for (const scheme of ['light', 'dark']) {
  for (const width of [320, 1440]) {
    test(`axe finds nothing serious on any page, ${scheme}, ${width} px`, async () => {
      const found = {};
      const { page, problems, context } = await openPage(browser, { colorScheme: scheme, viewport: { width, height: 900 } });
      for (const [name, path] of Object.entries({ ...PAGES, ...PUBLIC })) {
        api = new FakeApi({ signedIn: name in PAGES });
        await visit(page, path);
        const violations = await serious(page);
        if (violations.length > 0) {
          found[name] = violations;
        }
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        if (overflow > 0) {
          found[`${name} overflows`] = overflow;
        }
        await picture(page, `${name}-${scheme}-${width}`);
      }
      await context.close();
      assert.deepEqual(found, {});
      assert.deepEqual(problems, []);
    });
  }
}

test('hostile texts in every stored name stay texts', async () => {
  const { page, problems, context } = await openPage(browser, { viewport: { width: 1200, height: 800 } });
  // All in one text, and those alone that are dangerous only as a whole.
  for (const text of [HOSTILE.join(' '), 'javascript:alert(1)', '__proto__', 'constructor']) {
    for (const path of Object.values(PAGES)) {
      api = new FakeApi({ text });
      await visit(page, path);
    }
    assert.equal(await page.locator('iframe, base, main script, main style, main form[action], main a[href^="javascript"]').count(), 0);
  }
  await context.close();
  assert.deepEqual(problems, []);
});
