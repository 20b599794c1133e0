// What people do with the dashboard, in a browser against the real binary: once by mouse, once by keyboard alone.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { launch } from './chromium.mjs';
import { ask, callFrom, startBeside, startGateway, startLoad, until } from './gateway.mjs';
import { anotherTab, HANDS, openBy } from './hands.mjs';

const OWNER = { name: 'Ada', email: 'ada@example.com', password: 'correct horse 9 battery' };
const DEVELOPER = { name: 'Dev', email: 'dev@example.com', password: 'another horse 8 staple' };
const NEXT_PASSWORD = 'a third horse 7 paper';
const FORCE_MILLIS = 5000;
const LISTED_MILLIS = 3000;
const REQUESTS_PER_SECOND = 50;

for (const kind of Object.keys(HANDS)) {
  describe(`by ${kind}`, () => {
    const problems = [];
    let browser;
    let gateway;
    let owner;
    let developer;
    let firstKey;

    before(async () => {
      browser = await launch();
      gateway = await startGateway(`gateway-${kind}`);
      owner = await openBy(browser, kind, problems);
    });

    after(async () => {
      await browser?.close();
      await gateway?.stop();
    });

    const org = async () => (await callFrom(owner.page, 'GET', '/session')).body.memberships[0].org.id;
    const open = (who, path) => who.page.goto(gateway.url + path);

    /** Makes a key on its page; its id and its secret. */
    async function makeKey(who, name) {
      await who.heading('New key');
      await who.type('Name', name);
      await who.button('Make the key');
      const dialog = who.page.getByRole('dialog', { name: `The secret of ${name}` });
      const secret = await dialog.locator('.secret code').textContent();
      await who.press(dialog.getByLabel('I have stored it'));
      await who.button('Close', dialog);
      await who.heading(name);
      return { id: who.page.url().split('/').at(-1).split('?')[0], name, secret };
    }

    async function signIn(who, email, password) {
      await who.heading('Sign in');
      await who.type('E-mail address', email);
      await who.type('Password', password);
      await who.page.keyboard.press('Enter');
    }

    test('the printed link leads to the first key, and its request is listed with its cost', async () => {
      await owner.page.goto(gateway.link);
      await owner.heading('First run');
      await owner.type('Name', OWNER.name);
      await owner.type('E-mail address', OWNER.email);
      await owner.type('New password', OWNER.password);
      await owner.button('Make the account');
      await owner.heading('Ready');
      await owner.link('Make the first key');
      firstKey = await makeKey(owner, 'first');
      await owner.link('Requests');
      await owner.heading('Requests');
      const answer = await ask(gateway, firstKey.secret);
      const answeredAt = performance.now();
      assert.equal(answer.status, 200);
      assert.ok(answer.costMicro > 0);
      const row = owner.page.locator(`.table a[href*="${answer.id}"]`);
      await row.waitFor();
      assert.ok(performance.now() - answeredAt <= LISTED_MILLIS, `listed after ${performance.now() - answeredAt} ms`);
      await owner.press(row);
      const drawer = owner.page.getByRole('complementary', { name: 'Request', exact: true });
      await drawer.getByText('The charge is exactly this.').waitFor();
      const shown = (place) => place.locator('.number').getAttribute('title');
      const amount = `${answer.costMicro} micro-USD`;
      assert.equal(await shown(drawer.getByRole('row', { name: /^Rounded/ })), amount);
      assert.equal(await shown(drawer.locator('dl.facts > div').filter({ hasText: /^Charged/ })), amount);
      const { arithmetic } = (await callFrom(owner.page, 'GET', `/orgs/${await org()}/requests/${answer.id}`)).body;
      const sum = arithmetic.lines.reduce((all, line) => all + line.quantity * line.price_pico, 0);
      assert.deepEqual([sum, arithmetic.rounded_micro, arithmetic.matches], [arithmetic.total_pico, answer.costMicro, true]);
      await owner.page.keyboard.press('Escape');
      await drawer.waitFor({ state: 'detached' });
    });

    test('an invited developer makes a key, sees no audit log and cannot touch a key of another', async () => {
      await owner.link('Members');
      await owner.heading('Members');
      await owner.type('E-mail address', DEVELOPER.email);
      await owner.button('Invite');
      await owner.page.getByRole('cell', { name: DEVELOPER.email, exact: true }).waitFor();
      developer = await openBy(browser, kind, problems);
      await developer.page.goto(await gateway.letterTo(DEVELOPER.email));
      await developer.page.getByText('invites dev@example.com with the role Developer').waitFor();
      assert.equal(new URL(developer.page.url()).hash, '');
      await developer.type('Name', DEVELOPER.name);
      await developer.type('New password', DEVELOPER.password);
      await developer.button('Accept');
      await developer.heading('Requests');
      await developer.link('Keys');
      await developer.link('New key');
      const own = await makeKey(developer, 'of dev');
      assert.equal((await ask(gateway, own.secret)).status, 200);
      await developer.page.getByRole('button', { name: 'Revoke' }).waitFor();
      assert.equal(await developer.page.getByRole('link', { name: 'Audit log' }).count(), 0);
      await open(developer, '/audit');
      await developer.heading('Not for your role');
      await open(developer, `/keys/${firstKey.id}`);
      await developer.page.getByText('Only who made this key and admins may change it.').waitFor();
      assert.equal(await developer.page.getByRole('button', { name: /Revoke|Rotate|Disable|Save/ }).count(), 0);
      const refused = await callFrom(developer.page, 'POST', `/orgs/${await org()}/keys/${firstKey.id}/revoke`);
      assert.deepEqual([refused.status, refused.body.error.code], [403, 'forbidden']);
      assert.equal((await callFrom(developer.page, 'GET', `/orgs/${await org()}/audit`)).status, 403);
      assert.equal((await ask(gateway, firstKey.secret)).status, 200);
    });

    test('a reached budget refuses a client until it is raised on the page of the key', async () => {
      const path = `/orgs/${await org()}/keys`;
      const made = await callFrom(owner.page, 'POST', path, { name: 'thrifty', daily_budget_micro: 60 });
      assert.equal(made.status, 201);
      const { key, secret } = made.body;
      const refused = await until(async () => {
        const answer = await ask(gateway, secret);
        return answer.status === 200 ? null : answer;
      });
      assert.equal(refused.status, 402);
      await owner.link('Keys');
      await owner.press(owner.page.getByRole('link', { name: /^thrifty/ }));
      await owner.heading('thrifty');
      await owner.type('Daily budget', '5');
      await owner.button('Save');
      await owner.page.getByText('Saved').waitFor();
      await until(async () => (await ask(gateway, secret)).status === 200, FORCE_MILLIS);
      assert.equal((await callFrom(owner.page, 'GET', `${path}/${key.id}`)).body.daily_budget_micro, 5_000_000);
    });

    test('of two tabs that edit a key the second is told, applies, and both changes hold', async () => {
      const other = await anotherTab(owner, kind);
      await open(owner, `/keys/${firstKey.id}`);
      await open(other, `/keys/${firstKey.id}`);
      await owner.type('Note', 'mine');
      await other.type('Daily budget', '9');
      await other.button('Save');
      await other.page.getByText('Saved').waitFor();
      await owner.button('Save');
      await owner.page.getByRole('heading', { name: 'The key was changed meanwhile' }).waitFor();
      await owner.button('Apply mine');
      await owner.page.getByText('Saved').waitFor();
      await other.page.close();
      const { body } = await callFrom(owner.page, 'GET', `/orgs/${await org()}/keys/${firstKey.id}`);
      assert.deepEqual([body.note, body.daily_budget_micro], ['mine', 9_000_000]);
    });

    test('a revoked key is refused by three nodes within 5 seconds under load, and its page says so at once', async () => {
      const others = await Promise.all(['second', 'third'].map((name) => startBeside(gateway, name)));
      const load = startLoad([gateway, ...others], firstKey.secret, REQUESTS_PER_SECOND);
      try {
        await until(() => load.nodes.every((node) => node.served > 0));
        await open(owner, `/keys/${firstKey.id}`);
        await owner.button('Revoke');
        const dialog = owner.page.getByRole('dialog');
        await owner.type('Type “first” to confirm', 'first', dialog);
        await owner.button('Revoke', dialog);
        await owner.page.getByText('A revoked key cannot be changed.').waitFor();
        const revokedAt = performance.now();
        await until(() => load.nodes.every((node) => node.refusedAfter(revokedAt + FORCE_MILLIS)));
        for (const node of load.nodes) {
          assert.ok(node.lastServed - revokedAt <= FORCE_MILLIS, `served ${node.lastServed - revokedAt} ms later`);
          assert.deepEqual([...node.refusals], ['401 key_revoked']);
        }
      } finally {
        await load.stop();
        await Promise.all(others.map((node) => node.stop()));
      }
    });

    test('a new password ends the session of the other browser and keeps this one', async () => {
      const other = await openBy(browser, kind, problems);
      await open(other, '/keys');
      await signIn(other, OWNER.email, OWNER.password);
      await other.heading('Keys');
      await owner.link(OWNER.name);
      await owner.heading('Account');
      await owner.type('Present password', OWNER.password);
      await owner.type('New password', NEXT_PASSWORD);
      await owner.button('Change the password');
      await owner.page.getByText('The password is changed').waitFor();
      await other.link('Members');
      await signIn(other, OWNER.email, OWNER.password);
      await other.page.getByText('The address or the password is wrong.').waitFor();
      await other.type('Password', NEXT_PASSWORD);
      await other.page.keyboard.press('Enter');
      await other.heading('Members');
      await other.context.close();
      await owner.link('Members');
      await owner.heading('Members');
    });

    test('nothing was thrown and the policy refused nothing', () => assert.deepEqual(problems, []));
  });
}
