import type { Key, Limits } from '../app/types';
import { t } from '../i18n/en';
import { parseUsd, usdField } from '../ui/money';
import { parseWhole } from '../ui/numbers';
import { endOfDay } from '../ui/time';

export const MODALITIES = ['chat', 'completion', 'embedding', 'speech', 'transcription', 'image', 'video', 'music'] as const;
export const LIMITS = ['requests_per_second', 'requests_per_minute', 'tokens_per_minute', 'concurrency'] as const;
const LIMIT_MAX = 1_000_000_000;

/** A key's writable fields as they are typed. */
export interface KeyDraft {
  name: string;
  note: string;
  models: string[];
  modalities: string[];
  ips: string;
  limits: Record<keyof Limits, string>;
  daily: string;
  monthly: string;
  /** Day of the end; an end with another time of day is kept as it is. */
  expires: string;
}

/** Writable members of a key, as K2 and K4 take them. */
export type KeyBody = Record<string, unknown>;

export function draftOf(key: Key | null): KeyDraft {
  const limit = (name: keyof Limits) => key?.limits[name]?.toString() ?? '';
  return {
    name: key?.name ?? '',
    note: key?.note ?? '',
    models: key?.allowed_models ?? [],
    modalities: key?.allowed_modalities ?? [],
    ips: key?.allowed_ips.join('\n') ?? '',
    limits: {
      requests_per_second: limit('requests_per_second'),
      requests_per_minute: limit('requests_per_minute'),
      tokens_per_minute: limit('tokens_per_minute'),
      concurrency: limit('concurrency'),
    },
    daily: usdField(key?.daily_budget_micro),
    monthly: usdField(key?.monthly_budget_micro),
    expires: key?.expires_at?.slice(0, 10) ?? '',
  };
}

/** What is wrong with what was typed, by the member that it is for. */
export function problemsOf(draft: KeyDraft): Record<string, string> {
  const problems: Record<string, string> = {};
  if (draft.name.trim() === '') {
    problems.name = t.problems.required;
  }
  for (const [member, text] of [['daily_budget_micro', draft.daily], ['monthly_budget_micro', draft.monthly]] as const) {
    if (text.trim() !== '' && parseUsd(text) === null) {
      problems[member] = t.problems.money;
    }
  }
  for (const name of LIMITS) {
    if (draft.limits[name].trim() !== '' && parseWhole(draft.limits[name], 0, LIMIT_MAX) === null) {
      problems[`limits.${name}`] = t.problems.whole;
    }
  }
  if (draft.expires !== '' && endOfDay(draft.expires) === null) {
    problems.expires_at = t.problems.date;
  }
  return problems;
}

/** All members of a draft without problems. */
export function bodyOf(draft: KeyDraft): KeyBody {
  return {
    name: draft.name.trim(),
    note: draft.note.trim() === '' ? null : draft.note.trim(),
    allowed_models: draft.models,
    allowed_modalities: draft.modalities,
    allowed_ips: draft.ips.split(/[\s,]+/).filter((ip) => ip !== ''),
    limits: Object.fromEntries(LIMITS.map((name) => [name, parseWhole(draft.limits[name], 0, LIMIT_MAX)])),
    daily_budget_micro: parseUsd(draft.daily),
    monthly_budget_micro: parseUsd(draft.monthly),
    expires_at: endOfDay(draft.expires),
  };
}

/** For a new key: without what is not set. */
export function newBody(draft: KeyDraft): KeyBody {
  const limits = Object.entries(bodyOf(draft).limits as Record<string, number | null>).filter(([, n]) => n !== null);
  const set = Object.entries(bodyOf(draft)).filter(
    ([name, value]) => name !== 'limits' && value !== null && !(Array.isArray(value) && value.length === 0),
  );
  return { ...Object.fromEntries(set), ...(limits.length > 0 ? { limits: Object.fromEntries(limits) } : {}) };
}

/** For an edit: only what differs between the two drafts, so that two edits of other fields both hold. */
export function changes(before: KeyDraft, after: KeyDraft): KeyBody {
  const old = bodyOf(before);
  const changed: KeyBody = {};
  for (const [name, value] of Object.entries(bodyOf(after))) {
    if (name === 'limits') {
      const was = old.limits as Record<string, number | null>;
      const limits = Object.entries(value as Record<string, number | null>).filter(([limit, n]) => n !== was[limit]);
      if (limits.length > 0) {
        changed.limits = Object.fromEntries(limits);
      }
    } else if (JSON.stringify(value) !== JSON.stringify(old[name])) {
      changed[name] = value;
    }
  }
  return changed;
}
