import { useState } from 'preact/hooks';
import { call } from '../app/api';
import { useAction } from '../app/load';
import { takeFragment, to } from '../app/router';
import { loadMeta, meta, session } from '../app/session';
import type { Session } from '../app/types';
import { t } from '../i18n/en';
import { Field, Form } from '../ui/field';
import { Page, Section, Button } from '../ui/parts';
import { Snippets } from '../ui/snippets';
import { NewPassword } from './sign-in';

/** The first start: makes the first user by the link that the server printed. */
export function SetupPage() {
  const [token] = useState(takeFragment);
  const [isDone, setDone] = useState(false);
  const [email, setEmail] = useState('');
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const send = useAction(async () => {
    const made = await call<Session>('POST', '/setup', { body: { token, email, password, name } });
    await loadMeta();
    session.set(made);
    setDone(true);
  });
  if (isDone) {
    return <Next />;
  }
  if (meta.use()?.setup_required === false) {
    return (
      <Page title={t.setup.title}>
        <p>{t.setup.over}</p>
        <a class="button" href={to('signIn')}>{t.signIn.verb}</a>
      </Page>
    );
  }
  const isBadToken = send.error?.code === 'invalid_credentials' || token === '';
  return (
    <Page title={t.setup.title}>
      <Form onSend={send.run} error={isBadToken ? undefined : send.error} params={['email', 'name', 'password']}>
        <p>{t.setup.text}</p>
        {isBadToken && <p class="form-error" role="alert">{t.setup.badToken}</p>}
        <Field label={t.signIn.name} value={name} onValue={setName} isRequired input={{ autocomplete: 'name' }} error={send.error?.issueOf('name')} />
        <Field
          label={t.signIn.email}
          type="email"
          value={email}
          onValue={setEmail}
          isRequired
          error={send.error?.issueOf('email')}
          input={{ autocomplete: 'username' }}
        />
        <NewPassword value={password} onValue={setPassword} error={send.error?.issueOf('password')} />
        <Button type="submit" kind="primary" isBusy={send.isBusy} disabled={token === ''}>{t.setup.verb}</Button>
      </Form>
    </Page>
  );
}

function Next() {
  return (
    <Page title={t.setup.next}>
      <p>{t.setup.nextText}</p>
      <Section title={t.setup.call}>
        <Snippets secret="" />
      </Section>
      <a class="button primary" href={to('keyNew')}>{t.keys.first}</a>
    </Page>
  );
}
