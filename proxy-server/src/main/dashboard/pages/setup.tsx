import { useState } from 'preact/hooks';
import { call, loadMeta, meta, session, type Session, takeFragment, to, useAction } from '../app';
import { t } from '../i18n/en';
import { Field, Form, Page, Section, Snippets, useFields } from '../ui';
import { NameAndPassword } from './sign-in';

/** The first start: makes the first user by the link that the server printed. */
export function SetupPage() {
  const [token] = useState(takeFragment);
  const [isDone, setDone] = useState(false);
  const fields = useFields({ email: '', name: '', password: '' });
  const send = useAction(async () => {
    const made = await call<Session>('POST', '/setup', { body: { token, ...fields.values } });
    await loadMeta();
    session.set(made);
    setDone(true);
  });
  if (isDone) {
    return (
      <Page title={t.setup.next}>
        <p>{t.setup.nextText}</p>
        <Section title={t.setup.call}><Snippets secret="" /></Section>
        <a class="button primary" href={to('keyNew')}>{t.keys.first}</a>
      </Page>
    );
  }
  if (meta.use()?.setup_required === false) {
    return (<Page title={t.setup.title}><p>{t.setup.over}</p><a class="button" href={to('signIn')}>{t.signIn.verb}</a></Page>);
  }
  const isBadToken = send.error?.code === 'invalid_credentials' || token === '';
  return (
    <Page title={t.setup.title}>
      <Form of={isBadToken ? { ...send, error: undefined } : send} params={fields} verb={t.setup.verb} disabled={token === ''}>
        <p>{t.setup.text}</p>
        {isBadToken && <p class="form-error" role="alert">{t.setup.badToken}</p>}
        <Field label={t.signIn.email} {...fields.of('email', send.error)} type="email" isRequired input={{ autocomplete: 'username' }} />
        <NameAndPassword fields={fields} error={send.error} />
      </Form>
    </Page>
  );
}
