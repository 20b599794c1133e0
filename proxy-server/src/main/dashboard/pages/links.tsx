import { useEffect, useState } from 'preact/hooks';
import { call, takeFragment, to, useAction } from '../app';
import { t } from '../i18n/en';
import { Button, Form, FormError, Page, Skeleton, useFields } from '../ui';
import { NewPassword } from './sign-in';

/** Proves an address by the link that was sent to it. */
export function VerifyPage() {
  const [token] = useState(takeFragment);
  const [isDone, setDone] = useState(false);
  const send = useAction(async () => {
    await call('POST', '/auth/email/verify', { body: { token } });
    setDone(true);
  });
  useEffect(() => send.run(), []);
  return (
    <Page title={t.links.verify}>
      {isDone && <p role="status">{t.links.verified}</p>}
      {send.isBusy && <Skeleton rows={1} />}
      {send.error && <FormError error={send.error} />}
      <p><a class="button" href={to('signIn')}>{t.signIn.verb}</a></p>
    </Page>
  );
}

/** Sets a new password by a link. */
export function ResetPage() {
  const [token] = useState(takeFragment);
  const fields = useFields({ password: '' });
  const [isDone, setDone] = useState(false);
  const send = useAction(async () => {
    await call('POST', '/auth/password/reset', { body: { token, ...fields.values } });
    setDone(true);
  });
  return (
    <Page title={t.links.reset}>
      {isDone ? (<p role="status">{t.links.resetDone}</p>) : (
        <Form onSend={send.run} error={send.error} params={['password']}>
          <NewPassword {...fields.of('password', send.error)} />
          <Button type="submit" kind="primary" isBusy={send.isBusy}>{t.links.resetVerb}</Button>
        </Form>
      )}
      <p><a class="button" href={to('signIn')}>{t.signIn.verb}</a></p>
    </Page>
  );
}
