import { useState } from 'preact/hooks';
import { t } from '../i18n/en';
import { Dialog, Field, Form } from '../ui';
import { call } from './api';
import { useAction } from './load';
import { Store } from './store';

/** Calls that wait for the proof: one dialog serves all. */
const waiting = new Store<((isProven: boolean) => void)[]>([]);

/** Asks for the password; true when the server accepted it, false when the user gave up. */
export function prove(): Promise<boolean> {
  return new Promise((resolve) => waiting.set([...waiting.get(), resolve]));
}

function finish(isProven: boolean): void {
  const resolves = waiting.get();
  waiting.set([]);
  for (const resolve of resolves) {
    resolve(isProven);
  }
}

export function ProofDialog() {
  return waiting.use().length > 0 ? <Proof /> : null;
}

function Proof() {
  const [password, setPassword] = useState('');
  const send = useAction(async () => {
    await call('POST', '/session/reauthenticate', { body: { password } });
    finish(true);
  });
  return (
    <Dialog title={t.proof.title} onClose={() => finish(false)}>
      <Form of={send} verb={t.proof.verb} onCancel={() => finish(false)}>
        <p>{t.proof.text}</p>
        <Field label={t.signIn.password} type="password" value={password} onValue={setPassword} isRequired input={{ autocomplete: 'current-password', autofocus: true }} />
      </Form>
    </Dialog>
  );
}
