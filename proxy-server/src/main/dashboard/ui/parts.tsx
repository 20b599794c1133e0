import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { place } from '../app/router';
import { session } from '../app/session';
import { t } from '../i18n/en';
import { microTitle, usd, usdExact } from './money';
import { compact, duration, whole } from './numbers';
import { absolute, knownZone, relative, type Clock } from './time';
import { toast } from './toast';

type ButtonProps = Omit<JSX.HTMLAttributes<HTMLButtonElement>, 'loading'> & {
  kind?: 'primary' | 'danger' | 'plain';
  isBusy?: boolean;
  type?: 'button' | 'submit';
  disabled?: boolean;
};

export function Button({ kind = 'plain', isBusy = false, type = 'button', disabled = false, children, ...rest }: ButtonProps) {
  return (<button {...rest} type={type} class={`button ${kind}`} disabled={disabled || isBusy} aria-busy={isBusy}>{children}</button>);
}

/** In the place of what is not known. */
export const NONE = <span class="quiet">–</span>;

export function Money({ micro, isExact = false }: { micro: number | null | undefined; isExact?: boolean }) {
  return micro == null ? NONE : <span class="number" title={microTitle(micro)}>{isExact ? usdExact(micro) : usd(micro)}</span>;
}

export const millis = (value: number | null) => (value === null ? NONE : duration(value));

export function Count({ n }: { n: number | null | undefined }) {
  return n == null ? NONE : <span class="number" title={whole(n)}>{compact(n)}</span>;
}

/** The clock in the address and the zone of the account. */
export function useClock(): { clock: Clock; zone: string } {
  const clock = place.use().query.get('clock') === 'local' ? 'local' : 'utc';
  return { clock, zone: knownZone(session.use()?.user.timezone ?? 'UTC') };
}

/** Time relative to now, with the absolute one as its title; the other way round with `isFull`. */
export function Time({ at, isFull = false }: { at: string | number | null | undefined; isFull?: boolean }) {
  const { clock, zone } = useClock();
  const now = useNow(isFull ? 0 : 5000);
  if (at == null) {
    return NONE;
  }
  const full = absolute(at, clock, zone);
  const near = relative(at, now, clock, zone);
  return (<time dateTime={new Date(at).toISOString()} title={isFull ? near : full}>{isFull ? full : near}</time>);
}

/** Hook: the present time; the component is rendered again every `everyMillis` (0: not at all). */
export function useNow(everyMillis: number): number {
  const [, render] = useState<object>({});
  useEffect(() => {
    if (everyMillis === 0) {
      return;
    }
    const timer = setInterval(() => render({}), everyMillis);
    return () => clearInterval(timer);
  }, [everyMillis]);
  return Date.now();
}

/** A text in monospace with a button that copies it. */
export function Copy({ text, shown = text, label }: { text: string; shown?: string; label?: string }) {
  return (<span class="copy"><code>{shown}</code><CopyButton text={text} label={label ?? t.copy.of(shown)} /></span>);
}

export function CopyButton({ text, label }: { text: string; label: string }) {
  return (
    <button
      type="button"
      class="button plain small"
      aria-label={label}
      onClick={() => copyText(text).then((done) => toast(done ? t.copy.done : t.copy.failed, done ? 'ok' : 'bad'))}
    >
      {t.copy.verb}
    </button>
  );
}

/** Copies a text; by a selection where the browser gives no clipboard to plain http. */
async function copyText(text: string): Promise<boolean> {
  if (navigator.clipboard) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // Refused: the other way may still be open.
    }
  }
  const area = document.createElement('textarea');
  area.value = text;
  (document.querySelector('dialog[open]') ?? document.body).append(area);
  area.select();
  const done = document.execCommand('copy');
  area.remove();
  return done;
}

const TONES: Record<string, string> = {
  active: 'ok', ok: 'ok', ok_estimated: 'ok', replayed: 'ok', success: 'ok',
  pending: 'info', disabled: 'warn', suspended: 'warn', expired: 'warn', cut: 'warn',
  revoked: 'bad', closed: 'bad',
};

/** A link to hand to somebody whom no mail reaches. */
export function HandOver({ text, link }: { text: string; link: string | null | undefined }) {
  return link ? <div class="conflict" role="status"><p>{text}</p><Copy text={link} label={t.members.copyLink} /></div> : null;
}

/** A choice among others that can be taken back. */
export function Chip({ text, label = text, onRemove }: { text: string; label?: string; onRemove(): void }) {
  return <span class="chip">{text}<button type="button" aria-label={t.chips.remove(label)} onClick={onRemove}>×</button></span>;
}

/** A state as a word with a mark before it: never by colour alone. */
export function State({ of, tone, text }: { of: string; tone?: string; text?: string }) {
  return <span class={`state ${tone ?? TONES[of] ?? 'bad'}`}>{text ?? of.replaceAll('_', ' ')}</span>;
}

/** How a request ended: its status, and the error's code or the outcome. */
export function Outcome({ of }: { of: { status: number | null; outcome: string; code: string | null } }) {
  const tone = of.outcome.startsWith('ok') || of.outcome === 'replayed' ? 'ok' : !of.status || of.status >= 500 ? 'bad' : 'warn';
  return <State of={of.outcome} tone={tone} text={`${of.status || '–'} ${of.code ?? of.outcome.replaceAll('_', ' ')}`} />;
}

/** Bar of a sum against its limit: spent, reserved and what is left. */
export function BudgetBar({ limit, spent, reserved }: { limit: number; spent: number; reserved: number }) {
  const share = (part: number) => (limit <= 0 ? 100 : Math.min(100, (part / limit) * 100));
  const used = share(spent);
  const tone = used + share(reserved) >= 100 ? 'bad' : used >= 80 ? 'warn' : 'ok';
  const text = t.budget.of(usd(spent), usd(limit), usd(reserved));
  return (
    <span class="budget">
      <svg class={`bar ${tone}`} viewBox="0 0 100 6" preserveAspectRatio="none" role="img" aria-label={text}>
        <rect class="track" width="100" height="6" />
        <rect class="spent" width={used} height="6" />
        <rect class="reserved" x={used} width={Math.min(100 - used, share(reserved))} height="6" />
      </svg>
      <span class="small">{text}</span>
    </span>
  );
}

/** What was spent, against its limit if there is one, and when it begins anew. */
export function Spent({ limit, spent, reserved, resets, none }: { limit: number | null; spent: number; reserved: number; resets: string; none: string }) {
  return (
    <>
      {limit === null ? <><Money micro={spent} /> <span class="small">{none}</span></> : <BudgetBar limit={limit} spent={spent} reserved={reserved} />}
      <span class="small"> {t.budget.resets} <Time at={resets} /></span>
    </>
  );
}

export interface PageProps {
  title: ComponentChildren;
  name?: string;
  actions?: ComponentChildren;
  note?: ComponentChildren;
  children?: ComponentChildren;
}

/** A page: its one h1, which takes the focus when the page is gone to. */
export function Page({ title, name, actions, note, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const label = name ?? (typeof title === 'string' ? title : '');
  useEffect(() => {
    document.title = `${label} · Tollgate`;
  }, [label]);
  useEffect(() => {
    if (document.activeElement === document.body || document.activeElement?.closest('nav, main')) {
      heading.current?.focus({ preventScroll: true });
      scrollTo(0, 0);
    }
  }, []);
  return (
    <>
      <header class="page-head">
        <h1 ref={heading} tabIndex={-1}>{title}</h1>
        {note && <span class="note">{note}</span>}
        <div class="actions">{actions}</div>
      </header>
      {children}
    </>
  );
}

export function Section({ title, children, actions }: { title: string; children: ComponentChildren; actions?: ComponentChildren }) {
  return (
    <section class="section"><header><h2>{title}</h2>{actions && <div class="actions">{actions}</div>}</header>{children}</section>
  );
}

/** Names and values. */
export function Facts({ of }: { of: [string, ComponentChildren][] }) {
  return (
    <dl class="facts">
      {of.map(([name, value]) => (<div key={name}><dt>{name}</dt><dd>{value ?? NONE}</dd></div>))}
    </dl>
  );
}
