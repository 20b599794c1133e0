import { useState } from 'preact/hooks';
import type { ApiError } from '../app/errors';
import { t } from '../i18n/en';
import { optionalUsd, parseUsd } from './money';
import { optionalWhole } from './numbers';

/** How a text is read; undefined if it cannot be. */
export interface Parser<V> { problem: string; read(text: string): V | undefined }

export const MONEY: Parser<number | null> = { problem: t.problems.money, read: optionalUsd };
export const SIGNED_MONEY: Parser<number> = {
  problem: t.problems.money,
  read: (text) => {
    const micro = parseUsd(text.trim().replace(/^-/, '')) ?? undefined;
    return micro !== undefined && text.trim().startsWith('-') ? -micro : micro;
  },
};
export const PERCENTS: Parser<number[]> = {
  problem: t.problems.percents,
  read: (text) => {
    const percents = text.split(/[\s,%]+/).filter((one) => one !== '').map(Number);
    return percents.some(Number.isNaN) ? undefined : percents;
  },
};
export const wholeUpTo = (max: number, min = 0): Parser<number | null> => ({ problem: t.problems.whole, read: (text) => optionalWhole(text, min, max) });

type Parsed<P> = { [K in keyof P]: P[K] extends Parser<infer V> ? V : never };

/** What is typed into a form's fields, named as the members that they become. */
export interface Fields<T> {
  values: T;
  set(change: Partial<T>): void;
  /** Properties of the field of one member: its text, and what the server or the form found wrong. */
  of(name: keyof T & string, error?: ApiError): { value: string; onValue(value: string): void; error: string | undefined };
  /** Reads texts; undefined, with the problems at their fields, if one cannot be read. */
  parse<P extends Partial<Record<keyof T, Parser<unknown>>>>(parsers: P): Parsed<P> | undefined;
}

export function useFields<T extends Record<string, string>>(initial: T): Fields<T> {
  const [values, setValues] = useState(initial);
  const [problems, setProblems] = useState<Partial<Record<keyof T, string>>>({});
  const set = (change: Partial<T>) => setValues((before) => ({ ...before, ...change }));
  return {
    values,
    set,
    of: (name, error) => ({
      value: values[name] ?? '',
      onValue: (value) => set({ [name]: value } as Partial<T>),
      error: problems[name] ?? error?.issueOf(name),
    }),
    parse: (parsers) => {
      const entries = Object.entries<Parser<unknown>>(parsers as Record<string, Parser<unknown>>);
      const read = entries.map(([name, { read: reader }]) => [name, reader(values[name] ?? '')] as const);
      const wrong = entries.filter((_, i) => read[i]![1] === undefined).map(([name, { problem }]) => [name, problem]);
      setProblems(Object.fromEntries(wrong));
      return wrong.length === 0 ? Object.fromEntries(read) as never : undefined;
    },
  };
}
