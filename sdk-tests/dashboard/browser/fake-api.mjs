// A stand-in for the control plane with made-up answers: for looking at the pages, not for accepting them.
import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const FILES = new URL('../../../proxy-server/target/classes/dashboard/', import.meta.url).pathname;
const ASSETS = new Map(JSON.parse(readFileSync(join(FILES, 'assets.json'), 'utf8')).map((row) => [`/${row.path}`, row]));
const POLICY =
  "default-src 'self'; img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'self'; " +
  "frame-ancestors 'none'; object-src 'none'; require-trusted-types-for 'script'; trusted-types 'none'";
const NOW = () => new Date().toISOString();
const AGO = (millis) => new Date(Date.now() - millis).toISOString();
const PERMISSIONS = [
  'org_read', 'org_update', 'org_close', 'members_write', 'owners_write', 'invitations_read', 'invitations_write', 'keys_write_own',
  'keys_write_all', 'ledger_read', 'spending_limit_write', 'webhook_secret_reveal', 'webhook_secret_rotate', 'audit_read',
];
const LIMITS = { requests_per_second: null, requests_per_minute: 600, tokens_per_minute: null, concurrency: 0 };

/** Answers of one test; `text` is what stands in every stored name. */
export class FakeApi {
  constructor({ text = 'ci', operator = true, role = 'owner', permissions = PERMISSIONS, signedIn = true, setup = false } = {}) {
    this.text = text;
    this.seen = [];
    this.signedIn = signedIn;
    this.setup = setup;
    this.proven = true;
    this.rows = 60;
    this.extra = new Map();
    this.org = {
      id: '0a0a0a0a-0000-4000-8000-000000000001', name: 'acme', display_name: text, state: 'active', created_at: AGO(9e8),
      keys: { count: 2, max: 100 }, monthly_limit_micro: 100_000_000, monthly_limit_cap_micro: 500_000_000,
      key_policy: { developers_create: true, daily_budget_max_micro: null, monthly_budget_max_micro: null, days_max: null }, version: 1,
    };
    this.user = {
      id: '0b0b0b0b-0000-4000-8000-000000000001', email: 'ada@example.com', name: text, state: 'active', timezone: 'Europe/Zurich', locale: 'en',
      totp: false, password: true, created_at: AGO(9e8), version: 3,
    };
    this.membership = { org: this.org, role, permissions };
    this.operator = operator;
    this.keys = new Map([['Ab3dEf7h', this.newKey('Ab3dEf7h', { name: text })], ['Zz9yXx8w', this.newKey('Zz9yXx8w', { name: 'old', state: 'disabled' })]]);
  }

  newKey(id, more) {
    return {
      id, name: id, note: null, last_four: id.slice(-4), state: 'active', created_at: AGO(5e7),
      created_by: { kind: 'user', id: this.user.id, name: this.text }, expires_at: null, revoked_at: null, replaced_by: null, replaces: null,
      allowed_models: ['openai/gpt-4o-mini'], allowed_modalities: [], allowed_ips: ['10.0.0.0/8'], limits: LIMITS, effective_limits: LIMITS,
      daily_budget_micro: 5_000_000, monthly_budget_micro: null,
      spend: { today_micro: 4_200_000, month_micro: 31_000_123, reserved_micro: 300_000, daily_resets_at: AGO(-4e7), monthly_resets_at: AGO(-4e8) },
      last_used_at: AGO(42_000), version: 1, ...more,
    };
  }

  session() {
    return {
      user: this.user, session: { id: 's1', proven_at: NOW(), idle_expires_at: AGO(-4e7), expires_at: AGO(-6e8) }, memberships: [this.membership],
      operator: this.operator, enroll: null, server: { version: '0.1.0', node_id: 'n1', time: NOW() },
    };
  }

  request(i) {
    const failed = i % 7 === 3;
    return {
      request_id: `req_01HZZZZZZZZZZZZZZZZZZZZ${String(1000 + this.rows - i)}`, at: AGO(i * 37_000), key: { id: 'Ab3dEf7h', name: this.text }, endpoint: '/v1/chat/completions',
      model: 'openai/gpt-4o-mini', provider: 'openai', status: failed ? 502 : 200, outcome: failed ? 'provider_error' : 'ok', code: failed ? 'provider_error' : null,
      stream: i % 2 === 0, prompt_tokens: 1204, completion_tokens: 88 + i, cached_tokens: 0, reasoning_tokens: 0, estimated: false, cost_micro: failed ? 0 : 233 + i,
      total_ms: 812 + i, ttft_ms: 120, overhead_ms: 0.4, upstream_ms: 800, output_tokens_per_second: 71.2, attempts: failed ? 2 : 1, fallback: failed, resumed: false,
      hedged: false, client_ip: '192.0.2.7',
    };
  }

  detail(id) {
    const row = this.request(3);
    return {
      ...row, request_id: id, routing: { strategy: 'priority', selected: 'openai', priority: 1, healthy: true, fallbacks: 'azure' },
      attempts: [
        { provider: 'openai', outcome: 'timeout', status: null, at_ms: 2, ms: 500, reason: this.text, resumed: false, dropped: null, details: null },
        { provider: 'azure', outcome: 'ok', status: 200, at_ms: 502, ms: 300, reason: null, resumed: true, dropped: null, details: null },
      ],
      phases: [{ phase: 'admitted', at_ms: 0.2 }, { phase: 'awaiting', at_ms: 2 }, { phase: 'streaming', at_ms: 600 }, { phase: 'done', at_ms: 811 }],
      error: { type: 'provider_error', code: 'provider_error', param: this.text },
      charge: { how: 'settled', reserved_micro: 900, cost_micro: 234, overrun_micro: 0, settled_at: AGO(1000), scopes: [] },
      arithmetic: {
        priced_as: [],
        lines: [{ unit: 'prompt_tokens', quantity: 1204, price_pico: 150_000, pico: 180_600_000 }, { unit: 'completion_tokens', quantity: 88, price_pico: 600_000, pico: 52_800_000 }],
        total_pico: 233_400_000, rounded_micro: 234, matches: true, note: null, notes: [],
      },
      kept_until: AGO(-9e8), bytes: { request: 512, response: 2048 },
    };
  }

  /** The answer to a call: [status, body]. */
  answer(method, path, query, body, headers) {
    const fixed = this.extra.get(`${method} ${path}`);
    if (fixed) {
      return typeof fixed === 'function' ? fixed({ body, headers, query }) : fixed;
    }
    if (path === '/meta') {
      return [200, { product: 'Tollgate', setup_required: this.setup, signup: 'invite', mail: false, oidc: [], password: { min: 12, max: 256 }, api_base_url: 'http://127.0.0.1:8080/v1' }];
    }
    if (path === '/setup') {
      this.setup = false;
      this.signedIn = true;
      return [201, this.session()];
    }
    if (path === '/auth/sign-in') {
      this.signedIn = body.password === 'correct horse 9 battery';
      return this.signedIn ? [200, this.session()] : error(401, 'invalid_credentials');
    }
    if (path === '/auth/invitations/look') {
      return [200, { organization: { name: this.text }, email: 'g@example.com', role: 'developer', invited_by: { name: this.text }, expires_at: AGO(-9e8), account_exists: false }];
    }
    if (path.startsWith('/auth/')) {
      return [204, null];
    }
    if (!this.signedIn) {
      return error(401, 'unauthenticated');
    }
    if (path === '/session/reauthenticate') {
      this.proven = true;
      return body.password === 'correct horse 9 battery' ? [204, null] : error(401, 'invalid_credentials');
    }
    if (path === '/session') {
      return [200, this.session()];
    }
    if (path === '/me/sessions') {
      return [200, { data: [{ id: 's1', current: true, created_at: AGO(9e6), last_seen_at: NOW(), ip: '127.0.0.1', user_agent: this.text, browser: 'Chromium', os: 'Linux', how: ['pwd'] }] }];
    }
    if (path.startsWith('/operator/')) {
      return this.forOperators(path);
    }
    return this.ofOrg(method, path.replace(`/orgs/${this.org.id}`, ''), query, body, headers);
  }

  forOperators(path) {
    if (path === '/operator/orgs') {
      return [200, { data: [{ ...this.org, balance_micro: 25_000_000, month_micro: 31_000_123, owner: this.text }], next_cursor: null }];
    }
    if (path === '/operator/users') {
      return [200, { data: [{ ...this.user, operator: true, last_seen_at: NOW() }], next_cursor: null }];
    }
    return [200, {}];
  }

  ofOrg(method, path, query, body, headers) {
    const key = this.keys.get(/^\/keys\/(\w+)/.exec(path)?.[1] ?? '');
    switch (`${method} ${path}`) {
      case 'GET ':
        return [200, this.org];
      case 'GET /keys':
        return [200, { data: [...this.keys.values()], total: this.keys.size, max: 100, next_cursor: null }];
      case 'POST /keys': {
        const made = this.newKey('New1Key2', { ...body });
        this.keys.set(made.id, made);
        return [201, { key: made, secret: 'sk-llm-0000000000000000000000000000000000000000' }];
      }
      case 'GET /models':
        return [200, { data: ['openai/gpt-4o-mini', 'tollgate/demo-chat', this.text].map((id) => ({ id })) }];
      case 'GET /credits':
        return [200, { balance_micro: 25_000_000, reserved_micro: 300_000, available_micro: 24_700_000, alerts: [80, 100], alert_below_micro: null, as_of: NOW(),
          monthly: { limit_micro: 100_000_000, cap_micro: 500_000_000, spent_micro: 83_000_000, reserved_micro: 300_000, resets_at: AGO(-4e8) } }];
      case 'GET /budgets':
        return [200, { data: [{ scope: 'key_day', key: { id: 'Ab3dEf7h', name: this.text }, limit_micro: 5e6, spent_micro: 4.2e6, reserved_micro: 3e5, remaining_micro: 5e5, resets_at: AGO(-4e7), used_percent: 90 }] }];
      case 'GET /limits':
        return [200, { organization: LIMITS, key_defaults: LIMITS, used: { requests_per_second: 3, requests_per_minute: 120, tokens_per_minute: null, concurrency: null }, refusals24h: [{ code: 'rate_limited', count: 12 }] }];
      case 'GET /ledger':
        return [200, { data: [{ id: 2, at: AGO(1e6), kind: 'charges', amount_micro: -31_000_123, balance_after_micro: 25_000_000, ref: null, reason: null, actor: null, day: '2026-11-26' },
          { id: 1, at: AGO(9e7), kind: 'funding', amount_micro: 56_000_123, balance_after_micro: 56_000_123, ref: this.text, reason: this.text, actor: { kind: 'user', name: this.text } }], next_cursor: null }];
      case 'GET /members':
        return [200, { data: [{ user: this.user, role: 'owner', joined_at: AGO(9e8), last_seen_at: NOW(), totp: false, keys: 2, version: 1 }], total: 1 }];
      case 'GET /invitations':
        return [200, { data: [{ id: 'i1', email: this.text, role: 'viewer', expires_at: AGO(-9e7), invited_by: this.text }] }];
      case 'POST /invitations':
        return [201, { id: 'i2', email: body.email, role: body.role, expires_at: AGO(-9e7), invited_by: this.text, invite_url: 'http://127.0.0.1/invite#x' }];
      case 'GET /webhooks/secret':
        return [200, { created_at: AGO(9e7), previous_until: null, sealed: true }];
      case 'POST /webhooks/secret/reveal':
        return this.proven ? [200, { secret: 'whsec_aaaaaaaaaaaaaaaa' }] : error(403, 'forbidden', { reason: 'reauthentication_required' });
      case 'GET /audit':
        return [200, { data: [{ id: 1, at: AGO(5000), actor: { kind: 'user', id: 'u', name: this.text, via: 'operator' }, action: 'key.update', target: { kind: 'key', id: 'Ab3dEf7h', name: this.text },
          changes: [{ field: 'note', from: this.text, to: null }], ip: '127.0.0.1', request_id: 'req_1' }], next_cursor: null }];
      case 'GET /requests':
        return [200, { data: Array.from({ length: Math.min(50, this.rows) }, (_, i) => this.request(i)), next_cursor: this.rows > 50 ? 'c1' : null, as_of: NOW(), scanned_to: AGO(8e7), refused: { shed: 3 } }];
      case 'GET /requests/histogram':
        return [200, { interval: '15m', slots: Array.from({ length: 96 }, (_, i) => ({ at: new Date(Date.parse(query.get('from')) + i * 900_000).toISOString(), ok: (i * 7) % 31, client_error: i % 3, provider_error: i % 5 ? 0 : 4, refused: i % 11 ? 0 : 9, cost_micro: i })) }];
      case 'GET /requests/facets':
        return [200, { ...Object.fromEntries(['keys', 'models', 'providers', 'outcomes', 'codes', 'endpoints'].map((name) => [name, [{ name: this.text, requests: 1234 }]])), ignored: ['min_ms'] }];
      default:
        break;
    }
    if (key && method === 'GET') {
      return [200, key];
    }
    if (key && method === 'PATCH') {
      if (headers['if-match'] !== `"${key.version}"`) {
        return error(409, 'conflict', { reason: 'version', current_version: key.version });
      }
      const saved = { ...key, ...body, limits: { ...key.limits, ...body.limits }, version: key.version + 1 };
      this.keys.set(key.id, saved);
      return [200, saved];
    }
    if (key && path.endsWith('/revoke')) {
      const saved = { ...key, state: 'revoked', version: key.version + 1 };
      this.keys.set(key.id, saved);
      return [200, saved];
    }
    if (key && path.endsWith('/rotate')) {
      const made = this.newKey('Rot2ated', { name: key.name, replaces: key.id });
      this.keys.set(made.id, made);
      return [200, { key: made, secret: 'sk-llm-1111111111111111111111111111111111111111', old: { id: key.id, revoked_at: NOW() } }];
    }
    const request = /^\/requests\/(req_\w+)$/.exec(path);
    return request ? [200, this.detail(request[1])] : error(404, 'not_found');
  }
}

export function error(status, code, details = {}, more = {}) {
  return [status, { error: { type: 'x', code, message: `Refused: ${code}.`, request_id: 'req_01HZZZZZZZZZZZZZZZZZZZZZZZ', details, ...more } }];
}

/** Serves the built dashboard and the answers of `api()`, which each test sets anew. */
export async function serve(api) {
  const server = createServer((request, response) => {
    const url = new URL(request.url, 'http://x');
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      if (url.pathname.startsWith('/api/v1')) {
        const path = url.pathname.slice('/api/v1'.length);
        const text = Buffer.concat(chunks).toString();
        const body = text === '' ? undefined : JSON.parse(text);
        api().seen.push({ method: request.method, path, query: url.searchParams, body, headers: request.headers });
        const isRefused = request.method !== 'GET' && !request.headers['x-requested-with'];
        const [status, answer] = isRefused ? error(403, 'csrf_failed') : api().answer(request.method, path, url.searchParams, body, request.headers);
        response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
        response.end(answer === null ? undefined : JSON.stringify(answer));
        return;
      }
      const asset = ASSETS.get(url.pathname) ?? (url.pathname.startsWith('/assets/') ? undefined : ASSETS.get('/index.html'));
      if (!asset) {
        response.writeHead(404).end();
        return;
      }
      response.writeHead(200, { 'Content-Type': asset.type, 'Content-Security-Policy': POLICY, 'X-Content-Type-Options': 'nosniff', 'Content-Encoding': 'gzip' });
      response.end(readFileSync(join(FILES, `${asset.path}.gz`)));
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, stop: () => new Promise((resolve) => { server.closeAllConnections(); server.close(resolve); }) };
}
