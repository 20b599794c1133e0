import { useState } from 'preact/hooks';
import type { ApiError } from '../app/errors';

/** What is typed into a form's fields, named as the members that they become. */
export interface Fields<T> {
  values: T;
  set(change: Partial<T>): void;
  /** Properties of the field of one member: its text, and what the server or the form found wrong. */
  of(name: keyof T & string, error?: ApiError): { value: string; onValue(value: string): void; error: string | undefined };
  /** What the form itself found wrong, by member; true if that is nothing. */
  check(problems: Partial<Record<keyof T, string | undefined>>): boolean;
}

export function useFields<T extends Record<string, string>>(initial: T): Fields<T> {
  const [values, setValues] = useState(initial);
  const [problems, setProblems] = useState<Partial<Record<keyof T, string | undefined>>>({});
  const set = (change: Partial<T>) => setValues((before) => ({ ...before, ...change }));
  return {
    values,
    set,
    of: (name, error) => ({
      value: values[name] ?? '',
      onValue: (value) => set({ [name]: value } as Partial<T>),
      error: problems[name] ?? error?.issueOf(name),
    }),
    check: (found) => {
      setProblems(found);
      return Object.values(found).every((problem) => problem === undefined);
    },
  };
}
