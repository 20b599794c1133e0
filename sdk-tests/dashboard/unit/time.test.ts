import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytes, compact, duration, parseWhole } from '../../../proxy-server/src/main/dashboard/ui/numbers';
import { absolute, endOfDay, knownZone, relative } from '../../../proxy-server/src/main/dashboard/ui/time';

const NOW = Date.parse('2026-11-26T14:02:07.000Z');

test('times are relative under a day and absolute beyond', () => {
  const at = (millis: number) => relative(NOW + millis, NOW, 'utc');
  assert.equal(at(-500), 'just now');
  assert.equal(at(-12_000), '12 s ago');
  assert.equal(at(-59 * 60_000), '59 min ago');
  assert.equal(at(3 * 3_600_000), 'in 3 h');
  assert.equal(at(-86_400_000), '2026-11-25 14:02:07 UTC');
});

test('absolute times say by which clock', () => {
  assert.equal(absolute(NOW, 'utc', 'Europe/Zurich'), '2026-11-26 14:02:07 UTC');
  assert.equal(absolute(NOW, 'local', 'Europe/Zurich'), '2026-11-26 15:02:07 CET');
  assert.equal(absolute('2026-11-26T00:00:00.000Z', 'utc'), '2026-11-26 00:00:00 UTC');
  assert.equal(absolute('nonsense', 'utc'), '');
  assert.equal(knownZone('Mars/Olympus'), 'UTC');
});

test('durations, counts and sizes have one unit', () => {
  assert.deepEqual([0.25, 812, 12_400, 185_000].map(duration), ['0.25 ms', '812 ms', '12.4 s', '3 min 5 s']);
  assert.deepEqual([999, 12_345, 123_456, 4_500_000].map(compact), ['999', '12.3 k', '123 k', '4.5 M']);
  assert.deepEqual([10, 2048, 3_145_728].map(bytes), ['10 B', '2.0 KiB', '3.0 MiB']);
});

test('typed numbers and days are whole or refused', () => {
  assert.equal(parseWhole('1,000', 0, 5000), 1000);
  assert.equal(parseWhole('5001', 0, 5000), null);
  assert.equal(parseWhole('1.5', 0, 5000), null);
  assert.equal(endOfDay('2026-12-31'), '2026-12-31T23:59:59.000Z');
  assert.equal(endOfDay('tomorrow'), null);
});
