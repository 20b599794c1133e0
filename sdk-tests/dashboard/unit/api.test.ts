import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { call, get, newIdempotencyKey, setApiHooks } from '../../../proxy-server/src/main/dashboard/app/api';
import { ApiError, errorOf } from '../../../proxy-server/src/main/dashboard/app/errors';
import { orgView } from '../../../proxy-server/src/main/dashboard/app/org-view';
import type { Session } from '../../../proxy-server/src/main/dashboard/app/types';
import { barsOf } from '../../../proxy-server/src/main/dashboard/pages/timeline-bars';
import { snippet } from '../../../proxy-server/src/main/dashboard/ui/snippet';

interface Seen { method: string; url: string; headers: Record<string, string>; body: string | undefined }
let seen: Seen[] = [];
let answers: Response[] = [];
let signedOut = 0;
let proofs = 0;

function envelope(status: number, code: string, more: Record<string, unknown> = {}): Response {
  return new Response(JSON.stringify({ error: { code, message: 'M', request_id: 'req_1', ...more } }), { status });
}

beforeEach(() => {
  seen = [];
  answers = [];
  signedOut = 0;
  proofs = 0;
  setApiHooks({ signedOut: () => void signedOut++, prove: () => Promise.resolve(++proofs === 1) });
  globalThis.fetch = ((url: string, init: RequestInit) => {
    seen.push({ method: init.method!, url, headers: init.headers as Record<string, string>, body: init.body as string | undefined });
    const answer = answers.shift();
    return answer ? Promise.resolve(answer) : Promise.reject(new TypeError('no network'));
  }) as typeof fetch;
});

test('a change carries the headers that prove where it comes from and what it is based on', async () => {
  answers = [new Response('{"a":1}', { status: 201 })];
  assert.deepEqual(await call('POST', '/orgs', { body: { name: 'x' }, version: 7, idempotencyKey: 'k' }), { a: 1 });
  assert.equal(seen[0]!.url, '/api/v1/orgs');
  assert.equal(seen[0]!.headers['X-Requested-With'], 'tollgate');
  assert.equal(seen[0]!.headers['If-Match'], '"7"');
  assert.equal(seen[0]!.headers['Idempotency-Key'], 'k');
  assert.equal(seen[0]!.headers['Content-Type'], 'application/json');
});

test('no body means no content type, and no content means null', async () => {
  answers = [new Response(null, { status: 204 })];
  assert.equal(await call('POST', '/auth/sign-out'), null);
  assert.equal(seen[0]!.headers['Content-Type'], undefined);
  assert.equal(seen[0]!.body, undefined);
});

test('the envelope becomes an error with its members', () => {
  const body = { error: { code: 'validation_failed', message: 'M', request_id: 'req_9', param: 'name', details: { issues: [{ param: 'limits.concurrency', message: 'no' }] } } };
  const error = errorOf(400, body, new Headers());
  assert.deepEqual([error.code, error.requestId, error.param], ['validation_failed', 'req_9', 'name']);
  assert.equal(error.issueOf('limits'), 'no');
  assert.equal(error.issueOf('limit'), undefined);
  assert.equal(errorOf(502, null, new Headers({ 'X-Request-Id': 'req_2' })).code, 'http_502');
});

test('a session that ended leads to the sign-in page', async () => {
  answers = [envelope(401, 'unauthenticated')];
  await assert.rejects(get('/session'), { code: 'unauthenticated' });
  assert.equal(signedOut, 1);
  answers = [envelope(401, 'invalid_credentials')];
  await assert.rejects(call('POST', '/auth/sign-in', { body: {} }), { code: 'invalid_credentials' });
  assert.equal(signedOut, 1);
});

test('an old proof is asked for once, and the same call is made again', async () => {
  const refused = () => envelope(403, 'forbidden', { details: { reason: 'reauthentication_required' } });
  answers = [refused(), new Response('{"ok":true}')];
  assert.deepEqual(await call('DELETE', '/me', { idempotencyKey: 'same' }), { ok: true });
  assert.deepEqual(seen.map((one) => one.headers['Idempotency-Key']), ['same', 'same']);
  answers = [refused()];
  await assert.rejects(call('DELETE', '/me'), { reason: 'reauthentication_required' });
});

test('reads wait for their turn, changes do not', async () => {
  answers = [envelope(429, 'rate_limited', { retry_after: 0 }), new Response('{"n":1}')];
  assert.deepEqual(await get('/meta'), { n: 1 });
  answers = [envelope(503, 'service_unavailable', { retry_after: 0 }), new Response('{}')];
  await assert.rejects(call('POST', '/orgs', { body: {} }), { code: 'service_unavailable' });
  answers = [envelope(503, 'service_unavailable')];
  await assert.rejects(get('/meta'), { status: 503 });
});

test('no network is an error of its own, and an aborted read is none', async () => {
  await assert.rejects(get('/meta'), (error: ApiError) => error.isOffline && error.code === 'offline');
  const abort = new AbortController();
  abort.abort();
  await assert.rejects(get('/meta', abort.signal), (error) => !(error instanceof ApiError));
});

test('names of attempts to create differ', () => {
  assert.match(newIdempotencyKey(), /^[0-9a-f]{32}$/);
  assert.notEqual(newIdempotencyKey(), newIdempotencyKey());
});

test('the organization in view is the wanted one, with the rights in it', () => {
  const org = (id: string) => ({ id, name: id, display_name: null, state: 'active' as const });
  const session = {
    operator: false,
    memberships: [
      { org: org('a'), role: 'viewer', permissions: ['org_read'] },
      { org: org('b'), role: 'admin', permissions: ['org_read', 'audit_read'] },
    ],
  } as unknown as Session;
  assert.equal(orgView(session, 'b', null)?.org.id, 'b');
  assert.equal(orgView(session, 'b', null)?.may('audit_read'), true);
  assert.equal(orgView(session, '', null)?.org.id, 'a');
  assert.equal(orgView(session, 'a', null)?.may('audit_read'), false);
  assert.equal(orgView({ ...session, memberships: [] }, 'a', null), null);
  const foreign = { ...org('z') } as never;
  assert.equal(orgView({ ...session, operator: true }, 'z', foreign)?.role, 'operator');
  assert.equal(orgView(session, 'z', foreign)?.org.id, 'a');
});

test('attempts stand where they began, and in old records follow one another', () => {
  const attempt = (outcome: string, at_ms: number | null, ms: number) => ({ provider: 'p', outcome, at_ms, ms }) as never;
  const bars = barsOf([attempt('timeout', 3, 100), attempt('cancelled', 53, 60), attempt('ok', 53.5, 10)]);
  assert.deepEqual(bars.map((bar) => [bar.startMs, bar.endMs, bar.isFailed]), [[3, 103, true], [53, 113, true], [53.5, 63.5, false]]);
  const old = barsOf([attempt('timeout', null, 100), attempt('ok', null, 50), attempt('ok', null, 10)]);
  assert.deepEqual(old.map((bar) => [bar.startMs, bar.endMs]), [[0, 100], [100, 150], [150, 160]]);
});

test('snippets name the base address once and hold no secret unless it is given', () => {
  assert.match(snippet('curl', 'http://127.0.0.1:8080/v1', '', 'm/x'), /http:\/\/127\.0\.0\.1:8080\/v1\/chat.*\$KEY/s);
  assert.match(snippet('Python', 'http://127.0.0.1:8080', 'sk-llm-x', 'm/x'), /base_url="http:\/\/127\.0\.0\.1:8080\/v1", api_key="sk-llm-x"/);
});
