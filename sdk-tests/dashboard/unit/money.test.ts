import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseUsd, perMillion, usd, usdExact, usdField, usdOfPico } from '../../../proxy-server/src/main/dashboard/ui/money';

test('an amount shows as many decimals as say something', () => {
  const shown: [number, string][] = [
    [0, '$0.00'], [123, '$0.000123'], [120_000, '$0.12'], [999_999, '$0.999999'], [1_000_000, '$1.00'], [1_234_567, '$1.23'],
    [1_204_000_000, '$1,204.00'], [-3_000_000, '\u2212$3.00'], [-50, '\u2212$0.00005'],
  ];
  for (const [micro, text] of shown) {
    assert.equal(usd(micro), text);
  }
  assert.equal(usd(Number.MAX_SAFE_INTEGER), '$9,007,199,254.74');
});

test('exact amounts keep each micro-USD, prices each pico-USD', () => {
  assert.equal(usdExact(1_204_000_001), '$1,204.000001');
  assert.equal(usdOfPico(180_600_000), '$0.0001806');
  assert.equal(usdOfPico(1), '$0.000000000001');
  assert.equal(perMillion(150_000), '$0.15/M');
});

test('a typed amount is exact or refused', () => {
  const typed: [string, number | null][] = [
    ['12.5', 12_500_000], ['$1,204.000001', 1_204_000_001], ['0', 0], [' 7 ', 7_000_000], ['0.0000001', null], ['-1', null], ['1e3', null],
    ['', null], ['9007199254.740991', Number.MAX_SAFE_INTEGER], ['9007199254.740992', null], ['12.', null], ['.5', null],
  ];
  for (const [text, micro] of typed) {
    assert.equal(parseUsd(text), micro, text);
  }
});

test('what a field shows is read back as the same amount', () => {
  for (const micro of [0, 1, 999, 1_000_000, 12_345_678, 1_000_000_000_000]) {
    assert.equal(parseUsd(usdField(micro)), micro);
  }
  assert.equal(usdField(null), '');
});
