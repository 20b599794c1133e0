import { useId, useState } from 'preact/hooks';
import { t } from '../i18n/en';
import { Dialog, stepOf } from '../ui';
import { useLoad } from './load';
import { go, to } from './router';
import type { PageName } from './routes';
import type { OrgView } from './org-view';
import type { KeyListing } from './types';

interface Goal { text: string; url: string }

interface PaletteProps { view: OrgView | null; pages: PageName[]; onClose(): void }

/** Jumps to a page, a key by its name, or a request by its pasted id. */
export function Palette({ view, pages, onClose }: PaletteProps) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const id = useId();
  const wanted = text.trim();
  const search = view && wanted.length > 1 ? `/orgs/${view.org.id}/keys?limit=5&q=${encodeURIComponent(wanted)}` : null;
  const keys = useLoad<KeyListing>(search).data?.data ?? [];
  const goals: Goal[] = [
    ...(/^req_\w+$/.test(wanted) ? [{ text: t.palette.request(wanted), url: to('request', wanted) }] : []),
    ...pages.map((page) => ({ text: t.pages[page], url: to(page) })).filter(({ text: name }) => name.toLowerCase().includes(wanted.toLowerCase())),
    ...(search ? keys.map((key) => ({ text: t.palette.key(key.name, key.last_four), url: to('key', key.id) })) : []),
  ];
  const chosen = Math.min(at, goals.length - 1);
  const open = (goal: Goal | undefined) => {
    if (goal) {
      onClose();
      go(goal.url);
    }
  };
  const step = (event: KeyboardEvent) => {
    if (stepOf(event) !== 0) {
      event.preventDefault();
      setAt((chosen + stepOf(event) + goals.length) % Math.max(1, goals.length));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      open(goals[chosen]);
    }
  };
  return (
    <Dialog title={t.palette.title} onClose={onClose}>
      <input
        class="wide"
        role="combobox"
        aria-label={t.palette.title}
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={chosen < 0 ? undefined : `${id}-${chosen}`}
        placeholder={t.palette.hint}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={step}
      />
      <ul class="goals" role="listbox" id={id} aria-label={t.palette.title}>
        {goals.map((goal, i) => (
          <li key={goal.url} id={`${id}-${i}`} role="option" aria-selected={i === chosen} onClick={() => open(goal)}>
            {goal.text}
          </li>
        ))}
      </ul>
      {goals.length === 0 && <p class="quiet">{t.palette.none}</p>}
    </Dialog>
  );
}
