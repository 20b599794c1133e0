import type { Key } from '../app/types';
import { t } from '../i18n/en';
import { MONEY, type Parser, wholeUpTo } from '../ui/fields';
import { usdField } from '../ui/money';
import { endOfDay } from '../ui/time';

export const MODALITIES = ['chat', 'completion', 'embedding', 'speech', 'transcription', 'image', 'video', 'music'] as const;
export const LIMITS = ['requests_per_second', 'requests_per_minute', 'tokens_per_minute', 'concurrency'] as const;

/** The values of a field of several, between spaces or commas. */
export const valuesIn = (text: string): string[] => text.split(/[\s,]+/).filter((value) => value !== '');

const SEVERAL: Parser<string[]> = { problem: '', read: valuesIn };
const LIMIT = wholeUpTo(1_000_000_000);

/** How the writable members of a key are read from what is typed; a member of another has its path. */
export const PARSERS = {
  name: { problem: t.problems.required, read: (text: string) => text.trim() || undefined },
  note: { problem: '', read: (text: string) => text.trim() || null },
  allowed_models: SEVERAL,
  allowed_modalities: SEVERAL,
  allowed_ips: SEVERAL,
  'limits.requests_per_second': LIMIT,
  'limits.requests_per_minute': LIMIT,
  'limits.tokens_per_minute': LIMIT,
  'limits.concurrency': LIMIT,
  daily_budget_micro: MONEY,
  monthly_budget_micro: MONEY,
  // A day; an end with another time of day is kept as it is.
  expires_at: { problem: t.problems.date, read: (text: string) => (text === '' ? null : (endOfDay(text) ?? undefined)) },
};

/** A key's writable members as they are typed. */
export type KeyDraft = Record<keyof typeof PARSERS, string>;

/** Writable members of a key, as K2 and K4 take them. */
export type KeyBody = Record<string, unknown>;

export function draftOf(key: Key | null): KeyDraft {
  return {
    name: key?.name ?? '',
    note: key?.note ?? '',
    allowed_models: key?.allowed_models.join('\n') ?? '',
    allowed_modalities: key?.allowed_modalities.join('\n') ?? '',
    allowed_ips: key?.allowed_ips.join('\n') ?? '',
    ...(Object.fromEntries(LIMITS.map((name) => [`limits.${name}`, key?.limits[name]?.toString() ?? ''])) as Pick<KeyDraft, `limits.${typeof LIMITS[number]}`>),
    daily_budget_micro: usdField(key?.daily_budget_micro),
    monthly_budget_micro: usdField(key?.monthly_budget_micro),
    expires_at: key?.expires_at?.slice(0, 10) ?? '',
  };
}

/** Members that differ from those before, so that edits of other members both hold; all without a draft before. */
export function bodyOf(draft: KeyDraft, before?: KeyDraft): KeyBody {
  const body: KeyBody = {};
  for (const [path, { read }] of Object.entries(PARSERS) as [keyof KeyDraft, Parser<unknown>][]) {
    const value = read(draft[path]);
    if (!before || JSON.stringify(value) !== JSON.stringify(read(before[path]))) {
      const [member, part] = path.split('.') as [string, string?];
      body[member] = part ? { ...(body[member] as KeyBody | undefined), [part]: value } : value;
    }
  }
  return body;
}
