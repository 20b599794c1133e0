import { useEffect, useState } from 'preact/hooks';
import { type Action, call, takeFragment, to, useAction } from '../app';
import { t } from '../i18n/en';
import { Form, FormError, Page, Skeleton, useFields } from '../ui';
import { NewPassword } from './sign-in';

/** Hook: posts the token of the address, with what a form adds. */
function useToken(path: string, more: object = {}): { isDone: boolean; send: Action } {
  const [token] = useState(takeFragment);
  const [isDone, setDone] = useState(false);
  const send = useAction(async () => {
    await call('POST', path, { body: { token, ...more } });
    setDone(true);
  });
  return { isDone, send };
}

const SIGN_IN = <p><a class="button" href={to('signIn')}>{t.signIn.verb}</a></p>;

/** Proves an address by the link that was sent to it. */
export function VerifyPage() {
  const { isDone, send } = useToken('/auth/email/verify');
  useEffect(() => send.run(), []);
  return (
    <Page title={t.links.verify}>
      {isDone && <p role="status">{t.links.verified}</p>}
      {send.isBusy && <Skeleton rows={1} />}
      {send.error && <FormError error={send.error} />}
      {SIGN_IN}
    </Page>
  );
}

/** Sets a new password by a link. */
export function ResetPage() {
  const fields = useFields({ password: '' });
  const { isDone, send } = useToken('/auth/password/reset', fields.values);
  return (
    <Page title={t.links.reset}>
      {isDone ? <p role="status">{t.links.resetDone}</p> : (
        <Form of={send} params={fields} verb={t.links.resetVerb}><NewPassword {...fields.of('password', send.error)} /></Form>
      )}
      {SIGN_IN}
    </Page>
  );
}
