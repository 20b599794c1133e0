import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { type ApiError, call, meta, place, session, type Session, signedIn, useAction } from '../app';
import { t } from '../i18n/en';
import { Button, Field, type Fields, Form, Page, useFields, useNow } from '../ui';

type Mode = 'signIn' | 'forgot' | 'signUp' | 'sent';
const RESEND_MILLIS = 60_000;

/** Signs in by address and password; also asks for a link to a new password and for an account. */
export function SignInPage({ isPart = false }: { isPart?: boolean }) {
  const [mode, setMode] = useState<Mode>('signIn');
  const [email, setEmail] = useState('');
  const returnTo = place.use().query.get('return_to');
  const who = session.use();
  useEffect(() => {
    // As part of another page it only sets the session, and that page goes on.
    if (who && !isPart) {
      signedIn(who, returnTo);
    }
  }, [who?.session.id]);
  if (mode === 'sent') {
    return (
      <Page title={t.signIn.sentTitle}>
        <p>{meta.get()?.mail ? t.signIn.sent(email) : t.signIn.sentNoMail}</p>
        <div class="buttons"><Button onClick={() => setMode('signIn')}>{t.signIn.back}</Button></div>
      </Page>
    );
  }
  const address = (
    <Field label={t.signIn.email} type="email" value={email} onValue={setEmail} isRequired input={{ autocomplete: 'username', autofocus: true, spellcheck: false }} />
  );
  if (mode !== 'signIn') {
    return <Ask isNew={mode === 'signUp'} email={email} address={address} onSent={() => setMode('sent')} onBack={() => setMode('signIn')} />;
  }
  return <SignIn email={email} address={address} onMode={setMode} />;
}

interface FormProps { email: string; address: ComponentChildren }

function SignIn({ email, address, onMode }: FormProps & { onMode(mode: Mode): void }) {
  const [password, setPassword] = useState('');
  const [waitUntil, setWaitUntil] = useState(0);
  const now = useNow(1000);
  const send = useAction(async () => {
    try {
      session.set(await call<Session>('POST', '/auth/sign-in', { body: { email, password } }));
    } catch (thrown) {
      const seconds = (thrown as { retryAfterSeconds?: number | null }).retryAfterSeconds;
      setWaitUntil(seconds ? Date.now() + seconds * 1000 : 0);
      throw thrown;
    }
  });
  const waitSeconds = Math.ceil((waitUntil - now) / 1000);
  return (
    <Page title={t.signIn.title}>
      <Form of={send} verb={waitSeconds > 0 ? t.signIn.wait(waitSeconds) : t.signIn.verb} disabled={waitSeconds > 0}>
        {address}
        <Field label={t.signIn.password} type="password" value={password} onValue={setPassword} isRequired input={{ autocomplete: 'current-password' }} />
        {send.error?.code === 'email_not_verified' && <Resend email={email} />}
      </Form>
      <div class="buttons">
        <Button onClick={() => onMode('forgot')}>{t.signIn.forgot}</Button>
        {meta.get()?.signup === 'open' && <Button onClick={() => onMode('signUp')}>{t.signIn.signUp}</Button>}
      </div>
    </Page>
  );
}

/** Sends the link for an unverified address again, at most once a minute. */
function Resend({ email }: { email: string }) {
  const [sentAt, setSentAt] = useState(0);
  const now = useNow(1000);
  const send = useAction(async () => {
    await call('POST', '/auth/email/resend', { body: { email } });
    setSentAt(Date.now());
  });
  const seconds = Math.ceil((sentAt + RESEND_MILLIS - now) / 1000);
  return (
    <Button isBusy={send.isBusy} disabled={seconds > 0} onClick={() => send.run()}>
      {seconds > 0 ? t.signIn.resent(seconds) : t.signIn.resend}
    </Button>
  );
}

interface AskProps extends FormProps { isNew: boolean; onSent(): void; onBack(): void }

/** Asks for an account, or for a link to a new password. */
function Ask({ isNew, email, address, onSent, onBack }: AskProps) {
  const fields = useFields({ name: '', password: '' });
  const send = useAction(async () => {
    await call('POST', isNew ? '/auth/sign-up' : '/auth/password/forgot', { body: { email, ...(isNew ? fields.values : {}) } });
    onSent();
  });
  return (
    <Page title={isNew ? t.signIn.signUp : t.signIn.forgotTitle}>
      <Form of={send} params={fields} verb={isNew ? t.signIn.signUp : t.signIn.sendLink} onCancel={onBack}>
        {address}
        {isNew && <NameAndPassword fields={fields} error={send.error} />}
      </Form>
    </Page>
  );
}

/** The fields of a new account. */
export function NameAndPassword({ fields, error }: { fields: Fields<{ name: string; password: string }>; error: ApiError | undefined }) {
  return (
    <>
      <Field label={t.signIn.name} {...fields.of('name', error)} isRequired input={{ autocomplete: 'name' }} />
      <NewPassword {...fields.of('password', error)} />
    </>
  );
}

/** The field of a new password, with what the server demands of it. */
export function NewPassword(field: { value: string; onValue(value: string): void; error: string | undefined }) {
  const { min, max } = meta.use()?.password ?? { min: 12, max: 256 };
  const input = { autocomplete: 'new-password' as const, minLength: min, maxLength: max };
  return <Field label={t.signIn.newPassword} type="password" {...field} hint={t.signIn.passwordHint(min)} isRequired input={input} />;
}
