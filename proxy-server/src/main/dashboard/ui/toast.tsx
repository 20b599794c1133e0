import { Store } from '../app/store';

const SHOWN_MILLIS = 4000;
const SHOWN_MAX = 4;

interface Toast { id: number; text: string; tone: 'ok' | 'bad' }

const toasts = new Store<Toast[]>([]);
let last = 0;

/** Says for some seconds that something was done. */
export function toast(text: string, tone: 'ok' | 'bad' = 'ok'): void {
  const id = ++last;
  toasts.set([...toasts.get(), { id, text, tone }].slice(-SHOWN_MAX));
  setTimeout(() => toasts.set(toasts.get().filter((one) => one.id !== id)), SHOWN_MILLIS);
}

export function Toasts() {
  return (
    <div class="toasts" role="status">{toasts.use().map((one) => (<p key={one.id} class={`toast ${one.tone}`}>{one.text}</p>))}</div>
  );
}
