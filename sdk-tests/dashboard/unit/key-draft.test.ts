import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Key } from '../../../proxy-server/src/main/dashboard/app/types';
import { bodyOf, draftOf, PARSERS } from '../../../proxy-server/src/main/dashboard/pages/key-draft';

const KEY = {
  name: 'ci', note: null, allowed_models: ['openai/gpt-4o-mini'], allowed_modalities: [], allowed_ips: ['10.0.0.0/8'],
  limits: { requests_per_second: null, requests_per_minute: 600, tokens_per_minute: null, concurrency: null },
  daily_budget_micro: 5_000_000, monthly_budget_micro: null, expires_at: '2026-12-31T10:00:00.000Z',
} as unknown as Key;

test('an untouched draft changes nothing, whatever time of day the key ends', () => {
  assert.deepEqual(bodyOf(draftOf(KEY), draftOf(KEY)), {});
});

test('an edit sends only what it changed, and null to clear', () => {
  const draft = draftOf(KEY);
  const edited = { ...draft, daily_budget_micro: '', 'limits.requests_per_minute': '', 'limits.concurrency': '4', allowed_ips: '10.0.0.0/8, ::1' };
  assert.deepEqual(bodyOf(edited, draft), {
    daily_budget_micro: null,
    limits: { requests_per_minute: null, concurrency: 4 },
    allowed_ips: ['10.0.0.0/8', '::1'],
  });
});

test('two edits of different fields do not undo each other', () => {
  const base = draftOf(KEY);
  const mine = bodyOf({ ...base, name: 'mine' }, base);
  const theirs = bodyOf({ ...base, daily_budget_micro: '9' }, base);
  assert.deepEqual({ ...theirs, ...mine }, { name: 'mine', daily_budget_micro: 9_000_000 });
});

test('a new key has only what was set', () => {
  const empty = draftOf(null);
  assert.deepEqual(bodyOf({ ...empty, name: ' ci ', monthly_budget_micro: '1.5', 'limits.concurrency': '0' }, empty), {
    name: 'ci', monthly_budget_micro: 1_500_000, limits: { concurrency: 0 },
  });
});

test('what cannot be sent is not read', () => {
  const read = (draft: ReturnType<typeof draftOf>) => Object.entries(PARSERS).filter(([path, parser]) => parser.read(draft[path as keyof typeof draft]) === undefined);
  const wrong = read({ ...draftOf(null), daily_budget_micro: 'much', 'limits.concurrency': '-1', expires_at: 'soon' }).map(([path]) => path);
  assert.deepEqual(wrong.toSorted(), ['daily_budget_micro', 'expires_at', 'limits.concurrency', 'name']);
  assert.deepEqual(read(draftOf(KEY)), []);
});
