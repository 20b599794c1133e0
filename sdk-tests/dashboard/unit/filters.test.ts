import assert from 'node:assert/strict';
import { test } from 'node:test';
import { added, apiQuery, filtersOf, periodOf, removed } from '../../../proxy-server/src/main/dashboard/pages/request-filter';

const NOW = Date.parse('2026-11-26T14:02:07.000Z');

test('a relative period ends at the next minute and is the same for all of that minute', () => {
  const period = periodOf(new URLSearchParams('range=1h'), NOW);
  assert.deepEqual(period, { from: '2026-11-26T13:03:00.000Z', to: '2026-11-26T14:03:00.000Z', range: '1h' });
  assert.deepEqual(periodOf(new URLSearchParams('range=1h'), NOW + 40_000), period);
  assert.equal(periodOf(new URLSearchParams('range=1y'), NOW).range, '24h');
});

test('a picked period wins, unless it is damaged', () => {
  const picked = new URLSearchParams({ from: '2026-11-01T00:00:00.000Z', to: '2026-11-02T00:00:00.000Z', range: '1h' });
  assert.equal(periodOf(picked, NOW).range, null);
  assert.equal(periodOf(new URLSearchParams('from=x&to=y'), NOW).range, '24h');
});

test('filters go to the API as they stand in the address, and nothing else does', () => {
  const query = new URLSearchParams('model=a&model=b&status=4xx&live=0&open=req_1&org=acme');
  const period = periodOf(query, NOW);
  assert.deepEqual(filtersOf(query), [
    { name: 'model', value: 'a' }, { name: 'model', value: 'b' }, { name: 'status', value: '4xx' },
  ]);
  const list = new URLSearchParams(apiQuery(query, period, true));
  assert.deepEqual(list.getAll('model'), ['a', 'b']);
  assert.deepEqual([list.has('to'), list.has('live'), list.has('open'), list.has('org')], [false, false, false, false]);
  assert.ok(new URLSearchParams(apiQuery(query, period, false)).has('to'));
});

test('values of a dimension add up, bounds are replaced', () => {
  const query = new URLSearchParams('model=a&min_ms=5');
  assert.deepEqual(added(query, 'model', 'b'), ['a', 'b']);
  assert.deepEqual(added(query, 'model', 'a'), ['a']);
  assert.deepEqual(added(query, 'min_ms', '9'), ['9']);
  assert.deepEqual(removed(query, 'model', 'a'), []);
});
