// Made from /api/v1/openapi.json by sdk-tests/dashboard/run --types. Do not edit.

export interface AuditLogActionTarget { kind: string; id: string | null; name: string | null }

export interface AuditLogActor { kind: string; id: string | null; name: string | null; via: string | null }

export interface AuditLogAuditRow {
  id: string; at: string; org: string | null; actor: AuditLogActor; action: string; target: AuditLogActionTarget | null;
  changes: unknown; ip: string | null; request_id: string | null;
}

export interface BudgetServiceBudget {
  scope: string; key: BudgetServiceBudgetKey | null; limit_micro: number; spent_micro: number; reserved_micro: number;
  remaining_micro: number; resets_at: string; used_percent: number;
}

export interface BudgetServiceBudgetKey { id: string; name: string }

export interface ChargeArithmeticAppliedPrices { sheet: string; above_prompt_tokens: number }

export interface CreditServiceBooked { booked: boolean; ref: string; amount_micro: number; balance_micro: number }

export interface CreditsView {
  balance_micro: number; reserved_micro: number; available_micro: number; monthly: CreditsViewMonthly; alerts: number[];
  alert_below_micro: number | null; as_of: string;
}

export interface CreditsViewMonthly {
  limit_micro: number | null; cap_micro: number | null; spent_micro: number; reserved_micro: number; resets_at: string;
}

export interface Error { error: Record<string, unknown> }

export interface HistogramView { interval: string; slots: RequestHistogramSlot[]; scanned_to: string; as_of: string }

export interface InvitationLinksInvitationLook {
  organization: InvitationLinksNamed; email: string; role: 'viewer' | 'developer' | 'billing' | 'admin' | 'owner';
  invited_by: InvitationLinksNamed; expires_at: string; account_exists: boolean;
}

export interface InvitationLinksNamed { name: string }

export interface InvitationView {
  id: string; email: string; role: 'viewer' | 'developer' | 'billing' | 'admin' | 'owner'; created_at: string; expires_at: string;
  invited_by: string; invite_url: string | null;
}

export interface InvitationsInvitationList { data: InvitationView[]; total: number }

export interface KeyHandlersKeyPage { data: KeyView[]; total: number; max: number; next_cursor: string | null }

export interface KeyServiceNewKey { key: KeyView; secret: string }

export interface KeyServiceOldKey { id: string; revoked_at: string | null }

export interface KeyServiceRotatedKey { key: KeyView; secret: string; old: KeyServiceOldKey }

export interface KeyView {
  id: string; name: string; note: string | null; last_four: string; state: string; created_at: string; created_by: KeyViewCreator;
  expires_at: string | null; revoked_at: string | null; replaced_by: string | null; replaces: string | null; allowed_models: string[];
  allowed_modalities: string[]; allowed_ips: string[]; limits: KeyViewLimits; effective_limits: KeyViewLimits;
  daily_budget_micro: number | null; monthly_budget_micro: number | null; spend: KeyViewSpend; last_used_at: string | null;
  version: number;
}

export interface KeyViewCreator { kind: string; id: string | null; name: string | null }

export interface KeyViewLimits {
  requests_per_second: number | null; requests_per_minute: number | null; tokens_per_minute: number | null; concurrency: number | null;
}

export interface KeyViewSpend {
  today_micro: number; month_micro: number; reserved_micro: number; daily_resets_at: string; monthly_resets_at: string;
}

export interface LedgerListActor { kind: string | null; name: string }

export interface LedgerListLedgerLine {
  id: string; at: string; kind: string; amount_micro: number; balance_after_micro: number; ref: string | null; reason: string | null;
  actor: LedgerListActor | null; day: string | null;
}

export interface LimitServiceLimitsView {
  organization: KeyViewLimits; key_defaults: KeyViewLimits; used: number | null; refusals24h: LimitServiceRefusals[];
}

export interface LimitServiceRefusals { code: string; count: number }

export interface MemberView {
  user: MemberViewPerson; role: 'viewer' | 'developer' | 'billing' | 'admin' | 'owner'; joined_at: string; last_seen_at: string | null;
  totp: boolean; keys: number; version: number;
}

export interface MemberViewPerson { id: string; name: string; email: string | null; state: string }

export interface MembersMemberList { data: MemberView[]; total: number }

export interface Meta {
  product: string; setup_required: boolean; signup: string; mail: boolean; oidc: MetaOidc[]; password: MetaPasswordRule;
  api_base_url: string;
}

export interface MetaOidc { id: string; name: string }

export interface MetaPasswordRule { min: number; max: number }

export interface OperatorOrgHandlersOrgRow {
  id: string; name: string; display_name: string | null; state: string; created_at: string; keys: OrgViewKeyCount;
  monthly_limit_micro: number | null; monthly_limit_cap_micro: number | null; key_policy: OrgViewPolicy; version: number;
  balance_micro: number; month_micro: number; owner: string | null;
}

export interface OperatorOrgsCreated { organization: OrgView; invite_url: string | null }

export interface OperatorUserHandlersResetLink { reset_url: string | null }

export interface OperatorUsersUserEntry {
  id: string; email: string; name: string; state: string; operator: boolean; password: boolean; organizations: number;
  created_at: string; last_seen_at: string | null; version: number;
}

export interface OrgHandlersMembershipList { data: OrgServiceMembership[]; total: number }

export interface OrgServiceMembership {
  id: string; name: string; display_name: string | null; state: string; role: 'viewer' | 'developer' | 'billing' | 'admin' | 'owner';
  joined_at: string;
}

export interface OrgView {
  id: string; name: string; display_name: string | null; state: string; created_at: string; keys: OrgViewKeyCount;
  monthly_limit_micro: number | null; monthly_limit_cap_micro: number | null; key_policy: OrgViewPolicy; version: number;
}

export interface OrgViewKeyCount { count: number; max: number }

export interface OrgViewPolicy {
  developers_create: boolean; daily_budget_max_micro: number | null; monthly_budget_max_micro: number | null; days_max: number | null;
}

export interface RequestDetailCharge {
  how: string; reserved_micro: number; cost_micro: number; overrun_micro: number; settled_at: string; scopes: RequestDetailScope[];
}

export interface RequestDetailScope { kind: string; scope_id: string; reserved: boolean }

export interface RequestFacets {
  keys: RequestFacetsValue[]; models: RequestFacetsValue[]; providers: RequestFacetsValue[]; endpoints: RequestFacetsValue[];
  outcomes: RequestFacetsValue[]; codes: RequestFacetsValue[]; ignored: string[]; as_of: string;
}

export interface RequestFacetsValue { name: string; requests: number }

export interface RequestHistogramSlot {
  at: string; ok: number; client_error: number; provider_error: number; refused: number; cost_micro: number;
}

export interface RequestLinePhase { phase: string; at_ms: number }

export interface RequestListing {
  data: RequestListingRow[]; next_cursor: string | null; as_of: string; scanned_to: string; refused: Record<string, unknown>;
}

export interface RequestListingKeyName { id: string; name: string | null }

export interface RequestListingRow {
  request_id: string; at: string; key: RequestListingKeyName; endpoint: string | null; model: string | null; provider: string | null;
  status: number | null; outcome: string; code: string | null; stream: boolean | null; prompt_tokens: number;
  completion_tokens: number; cached_tokens: number; reasoning_tokens: number; estimated: boolean | null; cost_micro: number;
  total_ms: number | null; ttft_ms: number | null; overhead_ms: number | null; upstream_ms: number | null;
  output_tokens_per_second: number | null; attempts: number; fallback: boolean; resumed: boolean; hedged: boolean;
  client_ip: string | null;
}

export interface RequestReport {
  request_id: string; at: string; key: RequestListingKeyName; endpoint: string | null; model: string | null; provider: string | null;
  status: number | null; outcome: string; code: string | null; stream: boolean | null; prompt_tokens: number;
  completion_tokens: number; cached_tokens: number; reasoning_tokens: number; estimated: boolean | null; cost_micro: number | null;
  operator_cost_micro: number | null; total_ms: number | null; ttft_ms: number | null; overhead_ms: number | null;
  upstream_ms: number | null; output_tokens_per_second: number | null; fallback: boolean; resumed: boolean; hedged: boolean;
  client_ip: string | null; routing: Record<string, unknown> | null; attempts: RequestReportAttempt[]; phases: RequestLinePhase[];
  error: RequestReportFailure | null; charge: RequestDetailCharge | null; arithmetic: RequestReportArithmetic | null;
  job: RequestReportJob | null; kept_until: string; bytes: RequestReportBytes | null;
}

export interface RequestReportArithmetic {
  priced_as: ChargeArithmeticAppliedPrices[]; lines: RequestReportLine[]; total_pico: number; rounded_micro: number; matches: boolean;
  note: string | null; notes: string[];
}

export interface RequestReportAttempt {
  provider: string; outcome: string; status: number | null; ms: number; reason: string | null; resumed: boolean; dropped: string[];
  details: RequestReportAttemptDetails;
}

export interface RequestReportAttemptDetails { dropped_events: number; resent: number; anomalies: string | null }

export interface RequestReportBytes { request: number; response: number }

export interface RequestReportFailure { type: string | null; code: string; param: string | null }

export interface RequestReportJob { id: string }

export interface RequestReportLine { part: number; unit: string; quantity: number; price_pico: number; pico: number }

export interface SessionReply {
  user: SessionViewUserView; session: SessionViewSessionLifetime; memberships: SessionViewMembershipView[]; operator: boolean;
  enroll: string | null; server: SessionReplyServerView;
}

export interface SessionReplyServerView { version: string; node_id: string; time: string }

export interface SessionViewMembershipView { org: SessionViewOrgSummary; role: string; permissions: string[] }

export interface SessionViewOrgSummary { id: string; name: string; display_name: string | null; state: string }

export interface SessionViewSessionLifetime { id: string; proven_at: string; idle_expires_at: string; expires_at: string }

export interface SessionViewUserView {
  id: string; email: string; name: string; state: string; timezone: string; locale: string; totp: boolean; password: boolean;
  created_at: string; version: number;
}

export interface SessionsSessionEntry {
  id: string; current: boolean; created_at: string; last_seen_at: string; ip: string; user_agent: string; browser: string; os: string;
  how: string[];
}

export interface TokenReply { token: TokenReplyTokenView; permissions: string[] }

export interface TokenReplyTokenView {
  id: string; name: string; role: 'viewer' | 'developer' | 'billing' | 'admin' | 'owner' | null; org: string | null;
}

export interface WebhookSecretServiceRevealed { secret: string }

export interface WebhookSecretServiceRotated { secret: string; previous_until: string | null }

export interface WebhookSecretServiceSecretInfo { created_at: string; previous_until: string | null; sealed: boolean }
