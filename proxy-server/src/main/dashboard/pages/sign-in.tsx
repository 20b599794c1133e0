import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { call, meta, place, session, type Session, signedIn, useAction } from '../app';
import { t } from '../i18n/en';
import { Button, Field, Form, Page, useFields, useNow } from '../ui';

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
  if (mode === 'forgot') {
    return <Forgot email={email} address={address} onSent={() => setMode('sent')} onBack={() => setMode('signIn')} />;
  }
  if (mode === 'signUp') {
    return <SignUp email={email} address={address} onSent={() => setMode('sent')} onBack={() => setMode('signIn')} />;
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
      <Form onSend={send.run} error={send.error}>
        {address}
        <Field label={t.signIn.password} type="password" value={password} onValue={setPassword} isRequired input={{ autocomplete: 'current-password' }} />
        {send.error?.code === 'email_not_verified' && <Resend email={email} />}
        <Button type="submit" kind="primary" isBusy={send.isBusy} disabled={waitSeconds > 0}>
          {waitSeconds > 0 ? t.signIn.wait(waitSeconds) : t.signIn.verb}
        </Button>
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

interface SideFormProps extends FormProps { onSent(): void; onBack(): void }

function Forgot({ email, address, onSent, onBack }: SideFormProps) {
  const send = useAction(async () => {
    await call('POST', '/auth/password/forgot', { body: { email } });
    onSent();
  });
  return <SideForm title={t.signIn.forgotTitle} verb={t.signIn.sendLink} send={send} onBack={onBack}>{address}</SideForm>;
}

function SignUp({ email, address, onSent, onBack }: SideFormProps) {
  const fields = useFields({ name: '', password: '' });
  const send = useAction(async () => {
    await call('POST', '/auth/sign-up', { body: { email, ...fields.values } });
    onSent();
  });
  return (
    <SideForm title={t.signIn.signUp} verb={t.signIn.signUp} send={send} onBack={onBack}>
      {address}
      <Field label={t.signIn.name} {...fields.of('name', send.error)} isRequired />
      <NewPassword {...fields.of('password', send.error)} />
    </SideForm>
  );
}

function SideForm({ title, verb, send, onBack, children }: {
  title: string; verb: string; send: ReturnType<typeof useAction<[]>>; onBack(): void; children: ComponentChildren;
}) {
  return (
    <Page title={title}>
      <Form onSend={send.run} error={send.error} params={['name', 'password']}>
        {children}
        <div class="buttons">
          <Button onClick={onBack}>{t.signIn.back}</Button>
          <Button type="submit" kind="primary" isBusy={send.isBusy}>{verb}</Button>
        </div>
      </Form>
    </Page>
  );
}

/** The field of a new password, with what the server demands of it. */
export function NewPassword(field: { value: string; onValue(value: string): void; error: string | undefined; label?: string }) {
  const { min, max } = meta.use()?.password ?? { min: 12, max: 256 };
  return (
    <Field
      label={field.label ?? t.signIn.newPassword}
      type="password"
      value={field.value}
      onValue={field.onValue}
      hint={t.signIn.passwordHint(min)}
      error={field.error}
      isRequired
      input={{ autocomplete: 'new-password', minLength: min, maxLength: max }}
    />
  );
}
