import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { guardLeaving } from '../app/router';
import { t } from '../i18n/en';
import { Dialog } from './dialog';
import { Check } from './field';
import { Button, Copy } from './parts';

interface SecretProps { title: string; secret: string; onClose(): void; children?: ComponentChildren }

/** Shows a secret that the server never tells again: closing asks that it was stored. */
export function SecretDialog({ title, secret, onClose, children }: SecretProps) {
  const [isStored, setStored] = useState(false);
  const [isAsked, setAsked] = useState(false);
  useEffect(() => guardLeaving(() => isStored), [isStored]);
  return (
    <Dialog title={title} onClose={() => (isStored ? onClose() : setAsked(true))}>
      <p>{t.secret.once}</p>
      <p class="secret"><Copy text={secret} label={t.secret.copy} /></p>
      {children}
      <Check label={t.secret.stored} isOn={isStored} onChange={setStored} />
      {isAsked && !isStored && (
        <div class="conflict" role="alert">
          <p>{t.secret.lost}</p>
          <div class="buttons"><Button kind="danger" onClick={onClose}>{t.secret.closeAnyway}</Button></div>
        </div>
      )}
      <div class="buttons"><Button kind="primary" disabled={!isStored} onClick={onClose}>{t.dialogs.close}</Button></div>
    </Dialog>
  );
}
