import assert from 'node:assert/strict';
import { test } from 'node:test';
import { href, match, PATHS, permissionOf, PUBLIC, safeReturnTo } from '../../../proxy-server/src/main/dashboard/app/routes';

test('each path finds its page, and what is no page finds none', () => {
  for (const [page, path] of Object.entries(PATHS)) {
    assert.deepEqual(match(path.replace(':id', 'abc')), { page, id: path.includes(':id') ? 'abc' : '' });
  }
  assert.deepEqual(match('/'), { page: 'requests', id: '' });
  assert.deepEqual(match('/keys/new'), { page: 'keyNew', id: '' });
  assert.deepEqual(match('/keys/a%20b/'), { page: 'key', id: 'a b' });
  assert.deepEqual(match('/keys/%'), { page: 'key', id: '%' });
  assert.equal(match('/nothing/here/at-all').page, null);
  assert.ok(PUBLIC.has('signIn') && !PUBLIC.has('keys'));
  assert.deepEqual([permissionOf('audit'), permissionOf('key')], ['audit_read', 'org_read']);
});

test('links keep the organization and the clock and escape the id', () => {
  assert.equal(href('key', 'a/b', {}, '?org=acme&clock=local&q=x'), '/keys/a%2Fb?org=acme&clock=local');
  assert.equal(href('requests', '', { key: 'k1', org: '' }, '?org=acme'), '/requests?key=k1');
});

test('only own paths are returned to', () => {
  const bad = [
    '//evil.example', '/\\evil.example', 'https://evil.example', 'javascript:alert(1)', '', 'keys', '/ /evil', '/\tevil', '/a\\b',
    '\\\\evil', ' /keys', '/\u0000', 'http:/evil', '///evil.example', '/\n/evil',
  ];
  for (const value of bad) {
    assert.equal(safeReturnTo(value), '/', JSON.stringify(value));
  }
  assert.equal(safeReturnTo(null), '/');
  assert.equal(safeReturnTo('/keys?state=active'), '/keys?state=active');
});
