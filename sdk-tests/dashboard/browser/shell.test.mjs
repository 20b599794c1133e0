// What the pages do with answers that are made up: refusals, proofs, conflicts, waiting, keys of the keyboard.
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { error, FakeApi, serve } from './fake-api.mjs';
import { launch, openPage } from './chromium.mjs';

const PASSWORD = 'correct horse 9 battery';
const ROW = 'req_01HZZZZZZZZZZZZZZZZZZZZ1057';
let browser;
let server;
let api;
let page;
let problems;
let context;

before(async () => {
  browser = await launch();
  server = await serve(() => api);
});

after(async () => {
  await browser.close();
  await server.stop();
});

beforeEach(async () => {
  api = new FakeApi();
  ({ page, problems, context } = await openPage(browser, { viewport: { width: 1200, height: 900 } }));
});

afterEach(async () => {
  await context.close();
  assert.deepEqual(problems, []);
});

const open = (path) => page.goto(server.url + path);
const button = (name) => page.getByRole('button', { name, exact: true });
const heading = (name) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
const sent = (method, path) => api.seen.filter((one) => one.method === method && one.path.endsWith(path));

test('a page without a session leads to signing in and back, wrong passwords keep the address', async () => {
  api = new FakeApi({ signedIn: false });
  await open('/keys?state=active');
  await heading('Sign in');
  await page.getByLabel('E-mail address').fill('ada@example.com');
  await page.getByLabel('Password').fill('wrong');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').filter({ hasText: 'The address or the password is wrong.' }).waitFor();
  assert.equal(await page.getByLabel('E-mail address').inputValue(), 'ada@example.com');
  await page.getByLabel('Password').fill(PASSWORD);
  await button('Sign in').click();
  await heading('Keys');
  assert.equal(new URL(page.url()).search, '?state=active');
});

test('a foreign return address is not followed', async () => {
  api = new FakeApi({ signedIn: false });
  await open('/sign-in?return_to=//evil.example/');
  await page.getByLabel('E-mail address').fill('ada@example.com');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await heading('Requests');
  assert.equal(new URL(page.url()).origin, server.url);
});

test('the first run takes the token out of the address and shows what next', async () => {
  api = new FakeApi({ signedIn: false, setup: true });
  await open('/setup#secret-token');
  await heading('First run');
  assert.equal(new URL(page.url()).hash, '');
  await page.getByLabel('Name').fill('Ada');
  await page.getByLabel('E-mail address').fill('ada@example.com');
  await page.getByLabel('New password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await heading('Ready');
  assert.equal(sent('POST', '/setup')[0].body.token, 'secret-token');
  await page.getByText('http://127.0.0.1:8080/v1/chat/completions').waitFor();
});

test('any page of a server without users shows the first run', async () => {
  api = new FakeApi({ signedIn: false, setup: true });
  await open('/keys');
  await heading('First run');
  await page.getByText('The link is wrong or was used.').waitFor();
});

test('a new key shows its secret once and asks before it is closed', async () => {
  await open('/keys/new');
  await page.getByLabel('Name', { exact: true }).fill('build');
  await page.getByLabel('Daily budget').fill('abc');
  await button('Make the key').click();
  await page.getByText('An amount in USD such as 12.50').waitFor();
  await page.getByLabel('Daily budget').fill('5');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'The secret of build' });
  await dialog.getByText('sk-llm-0000', { exact: false }).first().waitFor();
  await page.keyboard.press('Escape');
  await dialog.getByText('The secret cannot be shown again.').waitFor();
  assert.ok(await button('Close').isDisabled());
  await dialog.getByLabel('I have stored it').check();
  await button('Close').click();
  await heading('build');
  const [made] = sent('POST', '/keys');
  assert.deepEqual(made.body, { name: 'build', daily_budget_micro: 5_000_000 });
  assert.match(made.headers['idempotency-key'], /^[0-9a-f]{32}$/);
  assert.ok(!(await page.content()).includes('sk-llm-0000'));
});

test('revoking asks for the name', async () => {
  await open('/keys/Ab3dEf7h');
  await button('Revoke').click();
  const dialog = page.getByRole('dialog');
  assert.ok(await dialog.getByRole('button', { name: 'Revoke' }).isDisabled());
  await dialog.getByLabel('Type “ci” to confirm').fill('ci');
  await dialog.getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('A revoked key cannot be changed.').waitFor();
  assert.equal(await button('Rotate').count(), 0);
});

test('rotating shows the new secret and goes to the new key', async () => {
  await open('/keys/Ab3dEf7h');
  await button('Rotate').click();
  await page.getByRole('dialog').getByText('The old secret stops now').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
  await page.getByRole('dialog', { name: 'The secret of ci' }).getByLabel('I have stored it').check();
  await button('Close').click();
  await page.getByText('Rot2ated', { exact: true }).waitFor();
});

test('of two tabs that edit a key the second is told, applies, and both changes hold', async () => {
  const other = await context.newPage();
  await open('/keys/Ab3dEf7h');
  await other.goto(`${server.url}/keys/Ab3dEf7h`);
  // As long as a field is being edited, the newer version is not taken over.
  await page.getByLabel('Note').fill('mine');
  await other.getByLabel('Daily budget').fill('9');
  await other.getByRole('button', { name: 'Save' }).click();
  await other.getByText('Saved').waitFor();
  await button('Save').click();
  await page.getByRole('heading', { name: 'The key was changed meanwhile' }).waitFor();
  await page.getByRole('row', { name: /Daily budget.*9000000/ }).waitFor();
  await button('Apply mine').click();
  await page.getByText('Saved').waitFor();
  const key = api.keys.get('Ab3dEf7h');
  assert.deepEqual([key.note, key.daily_budget_micro, key.version], ['mine', 9_000_000, 3]);
});

test('an old proof asks for the password and then does what was wanted', async () => {
  api.proven = false;
  await open('/webhooks');
  await button('Reveal').click();
  const dialog = page.getByRole('dialog', { name: 'Is it you?' });
  await dialog.getByLabel('Password').fill('wrong');
  await page.keyboard.press('Enter');
  await dialog.getByRole('alert').waitFor();
  await dialog.getByLabel('Password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByText('whsec_aaaaaaaaaaaaaaaa').waitFor();
  assert.equal(await page.getByRole('dialog').count(), 0);
});

test('giving up the proof shows the refusal', async () => {
  api.proven = false;
  await open('/webhooks');
  await button('Reveal').click();
  await button('Cancel').click();
  await page.getByRole('alert').filter({ hasText: 'This needs your password again.' }).waitFor();
});

test('what a role may not do is not shown, and a deep link to it says which role may', async () => {
  api = new FakeApi({ operator: false, role: 'developer', permissions: ['org_read', 'keys_write_own', 'webhook_secret_reveal'] });
  api.keys.get('Zz9yXx8w').created_by = { kind: 'user', id: 'another', name: 'Bob' };
  await open('/audit');
  await heading('Not for your role');
  await page.getByText('You need the role Admin').waitFor();
  assert.equal(await page.getByRole('link', { name: 'Audit log' }).count(), 0);
  assert.equal(await page.getByRole('link', { name: 'Users' }).count(), 0);
  await open('/keys/Zz9yXx8w');
  await page.getByText('Only who made this key and admins may change it.').waitFor();
  assert.equal(await button('Revoke').count(), 0);
  await open('/credits');
  await heading('Credits and limits');
  assert.equal(await button('Save').count(), 0);
  assert.equal(sent('GET', '/ledger').length, 0);
  await open('/operator/users');
  await heading('Not for your role');
});

test('a suspended organization says so and offers only what narrows', async () => {
  api.org.state = 'suspended';
  await open('/keys/Ab3dEf7h');
  await page.getByText('This organization is suspended').first().waitFor();
  await button('Revoke').waitFor();
  assert.equal(await button('Rotate').count(), 0);
  assert.equal(await button('Save').count(), 0);
});

test('a refused read waits with a countdown and then shows what it wanted', async () => {
  let refusals = 1;
  api.extra.set(`GET /orgs/${api.org.id}/budgets`, () => (refusals-- > 0 ? error(503, 'service_unavailable', {}, { retry_after: 2 }) : [200, { data: [] }]));
  await open('/credits');
  await page.getByText(/The server asked to wait: trying again in [12] s\./).waitFor();
  await page.getByText('Nothing has a limit.').waitFor();
});

test('a failed view says what failed and is tried again', async () => {
  api.extra.set(`GET /orgs/${api.org.id}/members`, error(500, 'internal_error'));
  await open('/members');
  const failed = page.getByRole('alert').filter({ hasText: 'Refused: internal_error.' });
  await failed.getByText('req_01HZZZZZZZZZZZZZZZZZZZZZZZ').waitFor();
  api.extra.clear();
  await button('Try again').click();
  await page.getByText('1 member', { exact: true }).waitFor();
});

test('a list without rows says the next step', async () => {
  api.keys.clear();
  await open('/keys');
  await page.getByRole('link', { name: 'Make the first key' }).waitFor();
  await page.getByText('Authorization: Bearer $KEY').waitFor();
});

test('a session that ends leads to signing in and back here', async () => {
  await open('/members');
  await heading('Members');
  api.signedIn = false;
  await page.getByRole('link', { name: 'Keys' }).click();
  await heading('Sign in');
  assert.equal(new URL(page.url()).searchParams.get('return_to'), '/keys');
});

test('requests open beside the list, arrows walk them, and Escape closes', async () => {
  await open('/requests');
  await page.getByRole('link', { name: /ago|just now/ }).nth(3).click();
  const drawer = page.getByRole('complementary', { name: 'Request', exact: true });
  await drawer.getByText('$0.0001806').waitFor();
  assert.equal(new URL(page.url()).searchParams.get('open'), ROW);
  await page.keyboard.press('ArrowDown');
  await page.waitForURL((url) => url.searchParams.get('open') === 'req_01HZZZZZZZZZZZZZZZZZZZZ1056');
  await drawer.getByText('The charge is exactly this.').waitFor();
  await page.keyboard.press('Escape');
  await drawer.waitFor({ state: 'detached' });
  assert.equal(new URL(page.url()).search, '');
});

test('new requests do not move rows under the pointer', async () => {
  await open('/requests');
  const first = page.locator('.table:visible tbody tr').first();
  const link = () => first.getByRole('link').getAttribute('href');
  await first.hover();
  const { y } = await first.boundingBox();
  const before = await link();
  api.rows += 2;
  await button('Show 2 new requests').waitFor();
  assert.equal((await first.boundingBox()).y, y);
  assert.equal(await link(), before);
  await button('Show 2 new requests').click();
  assert.notEqual(await link(), before);
});

test('facets and filters stand in the address', async () => {
  await open('/requests');
  await page.getByRole('complementary', { name: 'Most frequent values' }).getByRole('button').nth(1).click();
  await page.waitForURL((url) => url.searchParams.get('model') === 'ci');
  await button('Add a filter').click();
  await page.getByLabel('Filter', { exact: true }).selectOption('status');
  await page.getByLabel('Value', { exact: true }).fill('4xx');
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => url.searchParams.get('status') === '4xx');
  await button('Remove Model ci').click();
  await page.waitForURL((url) => !url.searchParams.has('model'));
  assert.equal(sent('GET', '/requests').at(-1).query.get('status'), '4xx');
});

test('a period is picked in the histogram by mouse and by keyboard', async () => {
  await open('/requests');
  const strip = page.getByRole('slider', { name: 'Requests over time' });
  await strip.focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Shift+ArrowRight');
  await page.keyboard.press('Shift+ArrowRight');
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => url.searchParams.has('from'));
  const picked = new URL(page.url()).searchParams;
  assert.equal(Date.parse(picked.get('to')) - Date.parse(picked.get('from')), 3 * 900_000);
  await page.getByLabel('Period').selectOption('24h');
  await page.waitForURL((url) => !url.searchParams.has('from'));
  const box = await strip.boundingBox();
  await page.mouse.move(box.x + box.width / 4, box.y + 10);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2, box.y + 10, { steps: 5 });
  await page.mouse.up();
  await page.waitForURL((url) => url.searchParams.has('from'));
});

test('the palette goes to pages and pasted requests by keyboard', async () => {
  await open('/keys');
  await heading('Keys');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('memb');
  await page.keyboard.press('Enter');
  await heading('Members');
  assert.equal(await page.evaluate(() => document.activeElement.tagName), 'H1');
  await page.keyboard.press('Control+k');
  await page.keyboard.type(ROW);
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => url.pathname === `/requests/${ROW}`);
});

test('a narrow screen has its pages in a drawer', async () => {
  await page.setViewportSize({ width: 360, height: 800 });
  await open('/keys');
  await button('Menu').click();
  await page.getByRole('navigation').getByRole('link', { name: 'Members' }).click();
  await heading('Members');
  assert.ok(!(await page.getByRole('navigation').isVisible()));
});

test('limits say what is used of them now, and attempts when they began', async () => {
  await open('/credits');
  const limits = page.getByRole('region', { name: 'Rate limits' });
  assert.equal(await limits.getByRole('row', { name: /^Requests per second/ }).getByRole('cell').nth(2).innerText(), '3');
  assert.equal(await limits.getByRole('row', { name: /^At once/ }).getByRole('cell').nth(2).innerText(), '–');
  await open(`/requests/${ROW}`);
  await page.getByRole('row', { name: /^openai .* 2 ms 500 ms$/ }).waitFor();
  await page.getByRole('row', { name: /^azure .* 502 ms 300 ms$/ }).waitFor();
});

test('the theme is kept', async () => {
  await open('/account');
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await page.getByLabel('Theme').selectOption('dark');
  const dark = await ground();
  assert.notEqual(dark, light);
  await page.reload();
  await heading('Account');
  assert.equal(await ground(), dark);
});

test('an operator opens an organization that is not theirs, and links stay in it', async () => {
  const foreign = { ...api.org, id: '0c0c0c0c-0000-4000-8000-000000000001', name: 'globex', display_name: 'Globex' };
  api.extra.set(`GET /orgs/${foreign.id}`, [200, foreign]);
  api.extra.set('GET /operator/orgs', [200, { data: [{ ...foreign, balance_micro: 1, month_micro: 2, owner: null }], next_cursor: null }]);
  api.extra.set(`GET /orgs/${foreign.id}/keys`, [200, { data: [], total: 0, max: 7, next_cursor: null }]);
  await open('/operator/organizations');
  await page.getByRole('link', { name: 'Globex' }).click();
  await heading('Requests');
  await page.getByRole('link', { name: 'Keys', exact: true }).click();
  await page.getByText('0 of 7').waitFor();
  assert.equal(new URL(page.url()).searchParams.get('org'), foreign.id);
  await page.reload();
  await page.getByText('0 of 7').waitFor();
});
