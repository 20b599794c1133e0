import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Key } from '../../../proxy-server/src/main/dashboard/app/types';
import { changes, draftOf, newBody, problemsOf } from '../../../proxy-server/src/main/dashboard/pages/key-draft';

const KEY = {
  name: 'ci', note: null, allowed_models: ['openai/gpt-4o-mini'], allowed_modalities: [], allowed_ips: ['10.0.0.0/8'],
  limits: { requests_per_second: null, requests_per_minute: 600, tokens_per_minute: null, concurrency: null },
  daily_budget_micro: 5_000_000, monthly_budget_micro: null, expires_at: '2026-12-31T10:00:00.000Z',
} as unknown as Key;

test('an untouched draft changes nothing, whatever time of day the key ends', () => {
  assert.deepEqual(changes(draftOf(KEY), draftOf(KEY)), {});
});

test('an edit sends only what it changed, and null to clear', () => {
  const draft = draftOf(KEY);
  const edited = { ...draft, daily: '', limits: { ...draft.limits, requests_per_minute: '', concurrency: '4' }, ips: '10.0.0.0/8, ::1' };
  assert.deepEqual(changes(draft, edited), {
    daily_budget_micro: null,
    limits: { requests_per_minute: null, concurrency: 4 },
    allowed_ips: ['10.0.0.0/8', '::1'],
  });
});

test('two edits of different fields do not undo each other', () => {
  const base = draftOf(KEY);
  const mine = changes(base, { ...base, name: 'mine' });
  const theirs = changes(base, { ...base, daily: '9' });
  assert.deepEqual({ ...theirs, ...mine }, { name: 'mine', daily_budget_micro: 9_000_000 });
});

test('a new key has only what was set', () => {
  assert.deepEqual(newBody({ ...draftOf(null), name: ' ci ', monthly: '1.5', limits: { ...draftOf(null).limits, concurrency: '0' } }), {
    name: 'ci', monthly_budget_micro: 1_500_000, limits: { concurrency: 0 },
  });
});

test('what cannot be sent is told at its field', () => {
  const draft = { ...draftOf(null), daily: 'much', limits: { ...draftOf(null).limits, concurrency: '-1' } };
  assert.deepEqual(Object.keys(problemsOf(draft)).toSorted(), ['daily_budget_micro', 'limits.concurrency', 'name']);
  assert.deepEqual(problemsOf(draftOf(KEY)), {});
});
