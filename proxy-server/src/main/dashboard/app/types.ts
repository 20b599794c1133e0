// The bodies of the control plane's API, as far as the pages read them.

export type Role = 'owner' | 'admin' | 'developer' | 'billing' | 'viewer';
export type Permission =
  | 'org_read'
  | 'org_update'
  | 'org_close'
  | 'members_write'
  | 'owners_write'
  | 'invitations_read'
  | 'invitations_write'
  | 'keys_write_own'
  | 'keys_write_all'
  | 'ledger_read'
  | 'spending_limit_write'
  | 'webhook_secret_reveal'
  | 'webhook_secret_rotate'
  | 'audit_read';
export type OrgState = 'active' | 'suspended' | 'closed';

export interface Meta {
  product: string; setup_required: boolean; signup: 'invite' | 'open'; mail: boolean;
  oidc: { id: string; name: string }[]; password: { min: number; max: number }; api_base_url: string;
}

export interface User {
  id: string; email: string; name: string; state: 'pending' | 'active' | 'disabled' | 'closed'; timezone: string;
  locale: string; totp: boolean; password: boolean; created_at: string; version: number;
}

export interface OrgName { id: string; name: string; display_name: string | null; state: OrgState }

export interface Session {
  user: User; session: { id: string; proven_at: string; idle_expires_at: string; expires_at: string };
  memberships: { org: OrgName; role: Role; permissions: Permission[] }[]; operator: boolean; enroll: 'totp' | null;
  server: { version: string; node_id: string; time: string };
}

export interface Listing<T> { data: T[]; next_cursor?: string | null; total?: number }

export interface Device {
  id: string; current: boolean; created_at: string; last_seen_at: string; ip: string; user_agent: string;
  browser: string | null; os: string | null; how: string[];
}

export interface KeyPolicy {
  developers_create: boolean; daily_budget_max_micro: number | null; monthly_budget_max_micro: number | null;
  days_max: number | null;
}

export interface Org extends OrgName {
  created_at: string; keys: { count: number; max: number }; monthly_limit_micro: number | null;
  monthly_limit_cap_micro: number | null; key_policy: KeyPolicy; version: number;
}

export interface Member {
  user: { id: string; name: string; email: string; state: User['state'] }; role: Role; joined_at: string;
  last_seen_at: string | null; totp: boolean; keys: number; version: number;
}

export interface Invitation {
  id: string; email: string; role: Role; expires_at: string; invited_by: { name: string } | string | null;
  invite_url?: string;
}

export interface InvitationLook {
  organization: { name: string }; email: string; role: Role; invited_by: { name: string } | null; expires_at: string;
  account_exists: boolean;
}

export interface Limits {
  requests_per_second: number | null; requests_per_minute: number | null; tokens_per_minute: number | null;
  concurrency: number | null;
}

export type KeyState = 'active' | 'disabled' | 'expired' | 'revoked';

export interface Key {
  id: string; name: string; note: string | null; last_four: string; state: KeyState; created_at: string;
  created_by: { kind: string; id: string | null; name: string | null }; expires_at: string | null;
  revoked_at: string | null; replaced_by: string | null; replaces: string | null; allowed_models: string[];
  allowed_modalities: string[]; allowed_ips: string[]; limits: Limits; effective_limits: Limits;
  daily_budget_micro: number | null; monthly_budget_micro: number | null;
  spend: { today_micro: number; month_micro: number; reserved_micro: number; daily_resets_at: string; monthly_resets_at: string };
  last_used_at: string | null; version: number;
}

export interface KeyListing extends Listing<Key> { max: number }

/** The secret is null where the answer repeats an earlier one. */
export interface KeyMade { key: Key; secret: string | null; old?: { id: string; revoked_at: string } }

export interface Model { id: string; name?: string; modality?: string }

export interface Credits {
  balance_micro: number;
  reserved_micro: number;
  available_micro: number;
  monthly: { limit_micro: number | null; cap_micro: number | null; spent_micro: number; reserved_micro: number; resets_at: string };
  alerts?: number[];
  alert_below_micro?: number | null;
  as_of: string;
}

export interface LedgerEntry {
  id: string | number; at: string; kind: 'funding' | 'refund' | 'adjustment' | 'write_off' | 'charges';
  amount_micro: number; balance_after_micro: number; ref: string | null; reason: string | null;
  actor: { kind: string; name: string | null } | null; day?: string;
}

export interface Budget {
  scope: 'organization_month' | 'key_day' | 'key_month'; key?: { id: string; name: string }; limit_micro: number;
  spent_micro: number; reserved_micro: number; remaining_micro: number; resets_at: string; used_percent: number;
}

export interface LimitsView {
  organization: Limits; key_defaults: Limits; refusals24h: { code: string; count: number }[];
}

export interface RequestRow {
  request_id: string; at: string; key: { id: string; name: string | null }; endpoint: string; model: string | null;
  provider: string | null; status: number; outcome: string; code: string | null; stream: boolean;
  prompt_tokens: number | null; completion_tokens: number | null; cached_tokens: number | null;
  reasoning_tokens: number | null; estimated: boolean; cost_micro: number | null; total_ms: number | null;
  ttft_ms: number | null; overhead_ms: number | null; upstream_ms: number | null;
  output_tokens_per_second: number | null; attempts: number; fallback: boolean; resumed: boolean; hedged: boolean;
  client_ip: string | null;
}

export interface RequestListing extends Listing<RequestRow> {
  as_of: string; scanned_to: string | null; refused?: number | Record<string, number>;
}

export interface Attempt {
  provider: string; outcome: string; status: number | null; at_ms: number; ms: number; reason: string | null;
  resumed: boolean; dropped?: unknown; details?: unknown;
}

export interface ArithmeticLine { unit: string; quantity: number; price_pico: number; pico: number }

export interface RequestDetail extends Omit<RequestRow, 'attempts'> {
  routing: Record<string, unknown> | null;
  attempts: Attempt[];
  phases: { phase: string; at_ms: number }[];
  error: { type: string; code: string; param: string | null } | null;
  charge: {
    how: string;
    reserved_micro: number;
    cost_micro: number;
    overrun_micro: number;
    settled_at: string;
    scopes: unknown[];
  } | null;
  arithmetic: {
    priced_as: Record<string, unknown> | null;
    lines: ArithmeticLine[];
    total_pico: number;
    rounded_micro: number;
    matches: boolean;
    note: string | null;
  } | null;
  job?: { id: string } | null;
  kept_until: string | null;
  bytes: { request: number | null; response: number | null } | null;
}

export interface Histogram {
  interval: string;
  slots: { at: string; ok: number; client_error: number; provider_error: number; refused: number; cost_micro: number }[];
}

export type FacetName = 'keys' | 'models' | 'providers' | 'endpoints' | 'outcomes' | 'codes';
export type Facets = Record<FacetName, { name: string; requests: number }[]> & { ignored: string[] };

export interface WebhookSecret { created_at: string | null; previous_until: string | null; sealed: boolean }

export interface AuditRow {
  id: string | number; at: string; actor: { kind: string; id: string | null; name: string | null; via?: string | null };
  action: string; target: { kind: string; id: string | null; name: string | null } | null;
  changes: { field: string; from: unknown; to: unknown }[]; ip: string | null; request_id: string | null;
}

/** An organization as operators see it in their list: the figures are beside it. */
export interface OperatorOrg extends Org {
  balance_micro: number; month_micro: number; max_api_keys?: number | null;
  owner: { name: string; email: string } | string | null;
}

export interface OperatorUser extends User {
  operator: boolean; last_seen_at?: string | null; memberships?: { org: OrgName; role: Role }[];
}
