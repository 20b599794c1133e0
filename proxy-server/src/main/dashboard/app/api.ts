import { ApiError, errorOf } from './errors';
import { Store } from './store';

const PREFIX = '/api/v1';
const WAITS_MAX = 3;
const WAIT_SECONDS_MAX = 60;

export interface CallOptions {
  body?: unknown;
  /** Version that an edit is based on. */
  version?: number;
  /** The same for each try of one form, so that a repeated POST creates once. */
  idempotencyKey?: string;
  signal?: AbortSignal;
}

/** What the shell does for calls: they know neither pages nor dialogs. */
export interface ApiHooks {
  signedOut(): void;
  /** Asks for the password; true when the server accepted it. */
  prove(): Promise<boolean>;
}

/** Until when a refused read waits for its next try, in milliseconds; null if none does. */
export const waitingUntil = new Store<number | null>(null);

let hooks: ApiHooks = { signedOut: () => {}, prove: () => Promise.resolve(false) };

export function setApiHooks(to: ApiHooks): void {
  hooks = to;
}

/** Random name of one attempt to create something; also where there is no secure context. */
export function newIdempotencyKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The one way to the server: does the call, or throws an ApiError. */
export async function call<T>(method: string, path: string, options: CallOptions = {}): Promise<T> {
  let proven = false;
  for (let waits = 0; ; ) {
    try {
      return await once<T>(method, path, options);
    } catch (thrown) {
      const error = thrown as ApiError;
      if (!(error instanceof ApiError)) {
        throw error;
      }
      if (error.code === 'unauthenticated') {
        hooks.signedOut();
        throw error;
      }
      if (error.reason === 'reauthentication_required' && !proven && (await hooks.prove())) {
        proven = true;
        continue;
      }
      const seconds = error.retryAfterSeconds;
      const waitable = method === 'GET' && (error.status === 429 || error.status === 503);
      if (!waitable || seconds === null || seconds > WAIT_SECONDS_MAX || waits++ >= WAITS_MAX) {
        throw error;
      }
      await wait(seconds * 1000, options.signal);
    }
  }
}

export function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return call<T>('GET', path, signal ? { signal } : {});
}

async function once<T>(method: string, path: string, options: CallOptions): Promise<T> {
  const { body, version, idempotencyKey, signal } = options;
  const headers: Record<string, string> = {
    Accept: 'application/json',
    'X-Requested-With': 'tollgate',
    ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...(version === undefined ? {} : { 'If-Match': `"${version}"` }),
    ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
  };
  let response: Response;
  try {
    response = await fetch(PREFIX + path, {
      method,
      headers,
      credentials: 'same-origin',
      redirect: 'error',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    });
  } catch (thrown) {
    if (signal?.aborted) {
      throw thrown;
    }
    throw new ApiError(0, 'offline', 'The server cannot be reached.');
  }
  const answer: unknown = await response.json().catch(() => null);
  if (!response.ok) {
    throw errorOf(response.status, answer, response.headers);
  }
  return answer as T;
}

function wait(millis: number, signal?: AbortSignal): Promise<void> {
  waitingUntil.set(Date.now() + millis);
  return new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, millis);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
  }).finally(() => waitingUntil.set(null));
}
