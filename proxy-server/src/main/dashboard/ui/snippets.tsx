import { useState } from 'preact/hooks';
import { meta } from '../app/session';
import { t } from '../i18n/en';
import { Button, CopyButton } from './parts';
import { snippet, type Language } from './snippet';

const LANGUAGES: Language[] = ['curl', 'Python', 'Node'];

/** A first request in three languages; without a secret `$KEY` stands in its place. */
export function Snippets({ secret, model = 'tollgate/demo-chat' }: { secret: string; model?: string }) {
  const [language, setLanguage] = useState<Language>('curl');
  const base = meta.use()?.api_base_url ?? '';
  const text = snippet(language, base, secret, model);
  return (
    <div>
      <div class="chips">
        {LANGUAGES.map((one) => (<Button key={one} aria-pressed={one === language} onClick={() => setLanguage(one)}>{one}</Button>))}
        <CopyButton text={text} label={t.copy.of(language)} />
      </div>
      <pre tabIndex={0}>{text}</pre>
    </div>
  );
}
