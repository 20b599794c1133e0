// Every page with made-up answers in which all texts are hostile.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { FakeApi, serve } from './fake-api.mjs';
import { launch, openPage } from './chromium.mjs';
import { visit } from './inspect.mjs';

const PAGES = {
  requests: '/', drawer: '/requests?open=req_01HZZZZZZZZZZZZZZZZZZZZ1057', request: '/requests/req_01HZZZZZZZZZZZZZZZZZZZZ1057', keys: '/keys', 'key-new': '/keys/new',
  key: '/keys/Ab3dEf7h', webhooks: '/webhooks', credits: '/credits', members: '/members', organization: '/settings', audit: '/audit', account: '/account',
  'operator-organizations': '/operator/organizations', 'operator-users': '/operator/users', missing: '/nothing/here',
};
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

test('hostile texts in every stored name stay texts', async () => {
  const { page, problems, context } = await openPage(browser, { viewport: { width: 1200, height: 800 } });
  // All in one text, and those alone that are dangerous only as a whole.
  for (const text of [HOSTILE.join(' '), 'javascript:alert(1)', '__proto__', 'constructor']) {
    for (const path of Object.values(PAGES)) {
      api = new FakeApi({ text });
      await visit(page, server.url + path);
    }
    assert.equal(await page.locator('iframe, base, main script, main style, main form[action], main a[href^="javascript"]').count(), 0);
  }
  await context.close();
  assert.deepEqual(problems, []);
});
