// Made from /api/v1/openapi.json by sdk-tests/dashboard/run --types. Do not edit.

export type AuditAction =
  | 'setup.complete' | 'session.sign_in' | 'session.sign_in_failed' | 'session.sign_out' | 'session.revoke' | 'session.reauthenticate'
  | 'user.create' | 'user.verify' | 'user.update' | 'user.password' | 'user.password_reset' | 'user.email' | 'user.disable'
  | 'user.enable' | 'user.close' | 'user.operator' | 'org.create' | 'org.update' | 'org.suspend' | 'org.activate' | 'org.close'
  | 'org.reopen' | 'org.cap' | 'member.role' | 'member.remove' | 'member.leave' | 'member.join' | 'invitation.create'
  | 'invitation.resend' | 'invitation.revoke' | 'key.create' | 'key.update' | 'key.rotate' | 'key.disable' | 'key.enable' | 'key.revoke'
  | 'credits.book' | 'limit.spending' | 'webhook.secret_reveal' | 'webhook.secret_rotate';

export interface AuditLogActor {
  kind: 'user' | 'token' | 'cli' | 'system'; id: string | null; name: string | null; via: 'operator' | null;
}

export interface AuditLogAuditRow {
  id: string; at: string; org: string | null; actor: AuditLogActor; action: AuditAction;
  target: { kind: string; id: string | null; name: string | null } | null; changes: { field: string; from: unknown; to: unknown }[];
  ip: string | null; request_id: string | null;
}

export interface BudgetServiceBudget {
  scope: 'organization_month' | 'key_day' | 'key_month'; key: { id: string; name: string } | null; limit_micro: number;
  spent_micro: number; reserved_micro: number; remaining_micro: number; resets_at: string; used_percent: number;
}

export interface CreditsView {
  balance_micro: number; reserved_micro: number; available_micro: number;
  monthly: { limit_micro: number | null; cap_micro: number | null; spent_micro: number; reserved_micro: number; resets_at: string };
  alerts: number[]; alert_below_micro: number | null; as_of: string;
}

export type ErrorCode =
  | 'invalid_json' | 'validation_failed' | 'idempotency_key_required' | 'ssrf_blocked' | 'invalid_api_key' | 'key_expired'
  | 'key_disabled' | 'key_revoked' | 'invalid_credentials' | 'unauthenticated' | 'insufficient_credits' | 'budget_exceeded'
  | 'spending_limit_exceeded' | 'ip_not_allowed' | 'model_not_allowed' | 'modality_not_allowed' | 'account_disabled' | 'csrf_failed'
  | 'email_not_verified' | 'forbidden' | 'model_not_found' | 'not_found' | 'idempotency_conflict' | 'job_not_cancellable' | 'conflict'
  | 'max_api_keys_reached' | 'request_too_large' | 'unsupported_media_type' | 'rate_limited' | 'tokens_per_minute_exceeded'
  | 'concurrency_exceeded' | 'provider_rate_limited' | 'internal_failure' | 'not_implemented' | 'not_configured' | 'provider_failure'
  | 'provider_disconnect' | 'stream_interrupted' | 'no_provider_available' | 'provider_unavailable' | 'service_unavailable'
  | 'provider_timeout';

export type ErrorType =
  | 'invalid_request_error' | 'authentication_error' | 'permission_error' | 'rate_limit_error' | 'quota_error' | 'not_found_error'
  | 'conflict_error' | 'provider_error' | 'timeout_error' | 'internal_error';

export interface HistogramView {
  interval: string;
  slots: { at: string; ok: number; client_error: number; provider_error: number; refused: number; cost_micro: number }[];
  scanned_to: string; as_of: string;
}

export interface InvitationLinksInvitationLook {
  organization: InvitationLinksNamed; email: string; role: Role; invited_by: InvitationLinksNamed; expires_at: string;
  account_exists: boolean;
}

export interface InvitationLinksNamed { name: string }

export interface InvitationView {
  id: string; email: string; role: Role; created_at: string; expires_at: string; invited_by: string; invite_url: string | null;
}

export interface KeyHandlersKeyPage { data: KeyView[]; total: number; max: number; next_cursor: string | null }

export interface KeyView {
  id: string; name: string; note: string | null; last_four: string; state: 'active' | 'disabled' | 'expired' | 'revoked';
  created_at: string; created_by: KeyViewCreator; expires_at: string | null; revoked_at: string | null; replaced_by: string | null;
  replaces: string | null; allowed_models: string[]; allowed_modalities: Modality[]; allowed_ips: string[]; limits: KeyViewLimits;
  effective_limits: KeyViewLimits; daily_budget_micro: number | null; monthly_budget_micro: number | null;
  spend: { today_micro: number; month_micro: number; reserved_micro: number; daily_resets_at: string; monthly_resets_at: string };
  last_used_at: string | null; version: number;
}

export interface KeyViewCreator { kind: 'user' | 'token' | 'operator' | 'cli' | 'system'; id: string | null; name: string | null }

export interface KeyViewLimits {
  requests_per_second: number | null; requests_per_minute: number | null; tokens_per_minute: number | null; concurrency: number | null;
}

export interface LedgerListLedgerLine {
  id: string; at: string; kind: 'funding' | 'refund' | 'adjustment' | 'write_off' | 'charges'; amount_micro: number;
  balance_after_micro: number; ref: string | null; reason: string | null; actor: { kind: string | null; name: string } | null;
  day: string | null;
}

export interface LimitServiceLimitsView {
  organization: KeyViewLimits; key_defaults: KeyViewLimits; used: KeyViewLimits | null; refusals24h: { code: string; count: number }[];
}

export interface MemberView {
  user: MemberViewPerson; role: Role; joined_at: string; last_seen_at: string | null; totp: boolean; keys: number; version: number;
}

export interface MemberViewPerson { id: string; name: string; email: string | null; state: UserState }

export interface Meta {
  product: string; setup_required: boolean; signup: 'invite' | 'open'; mail: boolean; oidc: { id: string; name: string }[];
  password: { min: number; max: number }; api_base_url: string;
}

export type Modality = 'chat' | 'completion' | 'embedding' | 'speech' | 'transcription' | 'image' | 'video' | 'music';

export interface ModelHandlersModelView {
  id: string; aliases: string[]; object: string; created: number; owned_by: string; name: string; description: string;
  modality: Modality; context_length: number | null; max_output_tokens: number | null;
  architecture: { input_modalities: string[]; output_modalities: string[] }; supported_parameters: string[];
  capabilities: Record<string, boolean>; pricing: Record<string, unknown>; pricing_micro: Record<string, unknown>; providers: string[];
  routes: ModelHandlersRouteView[]; ttft_p50_ms_24h: number | null; error_rate_24h: number | null; requests_24h: number;
  keys_allowed: number;
}

export interface ModelHandlersRouteView {
  provider: string; model: string; priority: number; weight: number; state: 'up' | 'degraded' | 'down';
}

export interface OperatorOrgHandlersOrgRow {
  id: string; name: string; display_name: string | null; state: ShownOrgState; created_at: string; keys: OrgViewKeyCount;
  monthly_limit_micro: number | null; monthly_limit_cap_micro: number | null; key_policy: OrgViewPolicy; version: number;
  balance_micro: number; month_micro: number; month_operator_cost_micro: number; month_margin_micro: number; owner: string | null;
}

export interface OperatorOrgsCreated { organization: OrgView; invite_url: string | null }

export interface OperatorUsersUserEntry {
  id: string; email: string; name: string; state: UserState; operator: boolean; password: boolean; organizations: number;
  created_at: string; last_seen_at: string | null; version: number;
}

export interface OrgView {
  id: string; name: string; display_name: string | null; state: ShownOrgState; created_at: string; keys: OrgViewKeyCount;
  monthly_limit_micro: number | null; monthly_limit_cap_micro: number | null; key_policy: OrgViewPolicy; version: number;
}

export interface OrgViewKeyCount { count: number; max: number }

export interface OrgViewPolicy {
  developers_create: boolean; daily_budget_max_micro: number | null; monthly_budget_max_micro: number | null; days_max: number | null;
}

export type Permission =
  | 'org_read' | 'org_update' | 'org_close' | 'members_write' | 'owners_write' | 'invitations_read' | 'invitations_write'
  | 'keys_write_own' | 'keys_write_all' | 'ledger_read' | 'spending_limit_write' | 'webhook_secret_reveal' | 'webhook_secret_rotate'
  | 'audit_read';

export type PricedUnit =
  | 'request' | 'prompt_token' | 'cached_token' | 'cache_write_token' | 'cache_write_1h_token' | 'audio_input_token'
  | 'image_input_token' | 'completion_token' | 'audio_output_token' | 'reasoning_token' | 'character' | 'audio_microsecond'
  | 'video_microsecond' | 'music_microsecond' | 'image';

export interface RequestDetailCharge {
  how: 'completed' | 'partial' | 'abandoned' | 'crash'; reserved_micro: number; cost_micro: number; overrun_micro: number;
  settled_at: string; scopes: RequestDetailScope[];
}

export interface RequestDetailScope { kind: 'balance' | 'month' | 'key_day' | 'key_month'; scope_id: string; reserved: boolean }

export interface RequestFacets {
  keys: RequestFacetsValue[]; models: RequestFacetsValue[]; providers: RequestFacetsValue[]; endpoints: RequestFacetsValue[];
  outcomes: RequestFacetsValue[]; codes: RequestFacetsValue[]; ignored: string[]; as_of: string;
}

export interface RequestFacetsValue { name: string; requests: number }

export interface RequestListing {
  data: RequestListingRow[]; next_cursor: string | null; as_of: string; scanned_to: string; refused: Record<string, number>;
}

export interface RequestListingKeyName { id: string; name: string | null }

export interface RequestListingRow {
  request_id: string; at: string; key: RequestListingKeyName; endpoint: string | null; model: string | null; provider: string | null;
  status: number | null; outcome: RequestListingRowOutcome; code: ErrorCode | null; stream: boolean | null; prompt_tokens: number;
  completion_tokens: number; cached_tokens: number; reasoning_tokens: number; estimated: boolean | null; cost_micro: number;
  total_ms: number | null; ttft_ms: number | null; overhead_ms: number | null; upstream_ms: number | null;
  output_tokens_per_second: number | null; attempts: number; fallback: boolean; resumed: boolean; hedged: boolean;
  client_ip: string | null;
}

export type RequestListingRowOutcome =
  | 'ok' | 'ok_estimated' | 'replayed' | 'rejected' | 'client_abort' | 'client_stalled' | 'client_slow' | 'provider_unavailable'
  | 'provider_timeout' | 'provider_disconnect' | 'provider_error' | 'provider_rejected' | 'provider_auth' | 'provider_rate_limited'
  | 'stream_interrupted' | 'dependency_down' | 'shed' | 'drained' | 'internal_error' | 'crash' | 'unknown';

export interface RequestReport {
  request_id: string; at: string; key: RequestListingKeyName; endpoint: string | null; model: string | null; provider: string | null;
  status: number | null; outcome: RequestListingRowOutcome; code: ErrorCode | null; stream: boolean | null; prompt_tokens: number;
  completion_tokens: number; cached_tokens: number; reasoning_tokens: number; estimated: boolean | null; cost_micro: number | null;
  operator_cost_micro: number | null; total_ms: number | null; ttft_ms: number | null; overhead_ms: number | null;
  upstream_ms: number | null; output_tokens_per_second: number | null; fallback: boolean; resumed: boolean; hedged: boolean;
  client_ip: string | null; routing: Record<string, string> | null; attempts: RequestReportAttempt[];
  phases: { phase: string; at_ms: number }[]; error: RequestReportFailure | null; charge: RequestDetailCharge | null;
  arithmetic: RequestReportArithmetic | null; job: { id: string } | null; kept_until: string;
  bytes: { request: number; response: number } | null;
}

export interface RequestReportArithmetic {
  priced_as: { sheet: string; above_prompt_tokens: number }[]; lines: RequestReportLine[]; total_pico: number; rounded_micro: number;
  matches: boolean; note: RequestReportArithmeticNote | null; notes: string[];
}

export type RequestReportArithmeticNote =
  | 'estimated' | 'partial' | 'abandoned' | 'crash' | 'overrun' | 'minimum' | 'below_cost' | 'not_recorded' | 'prices_unknown'
  | 'differs' | 'estimate';

export interface RequestReportAttempt {
  provider: string; outcome: string; status: number | null; at_ms: number | null; ms: number; reason: string | null; resumed: boolean;
  dropped: string[]; details: { dropped_events: number; resent: number; anomalies: string | null };
}

export interface RequestReportFailure { type: ErrorType | null; code: ErrorCode; param: string | null }
export interface RequestReportLine { part: number; unit: PricedUnit; quantity: number; price_pico: number; pico: number }
export type Role = 'viewer' | 'developer' | 'billing' | 'admin' | 'owner';

export interface SessionReply {
  user: SessionViewUserView; session: { id: string; proven_at: string; idle_expires_at: string; expires_at: string };
  memberships: SessionViewMembershipView[]; operator: boolean; enroll: string | null;
  server: { version: string; node_id: string; time: string };
}

export interface SessionViewMembershipView { org: SessionViewOrgSummary; role: Role; permissions: Permission[] }
export interface SessionViewOrgSummary { id: string; name: string; display_name: string | null; state: ShownOrgState }

export interface SessionViewUserView {
  id: string; email: string; name: string; state: UserState; timezone: string; locale: string; totp: boolean; password: boolean;
  created_at: string; version: number;
}

export interface SessionsSessionEntry {
  id: string; current: boolean; created_at: string; last_seen_at: string; ip: string; user_agent: string; browser: string; os: string;
  how: string[];
}

export type ShownOrgState = 'active' | 'suspended' | 'closed';
export type UserState = 'pending' | 'active' | 'disabled' | 'closed';
export interface WebhookSecretServiceSecretInfo { created_at: string; previous_until: string | null; sealed: boolean }
