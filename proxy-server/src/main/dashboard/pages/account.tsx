import { useState } from 'preact/hooks';
import { call, type Device, go, type Listing, session, setTheme, theme, useAction, useLoad, type User } from '../app';
import { PATHS } from '../app/routes';
import { t } from '../i18n/en';
import { Ask, Button, Choice, Field, Form, FormError, List, optionsOf, Page, Section, Time, toast, useFields } from '../ui';
import { NewPassword } from './sign-in';

/** The user's own account: name, looks, password, devices, end. */
export function AccountPage() {
  const user = session.use()!.user;
  return (
    <Page title={t.pages.account} note={user.email}>
      <Profile key={user.version} of={user} />
      <Section title={t.account.theme}>
        <Choice label={t.account.theme} value={theme.use()} options={optionsOf(t.themes)} onValue={setTheme} />
      </Section>
      <Password />
      <Email />
      <Devices />
      <Close email={user.email} />
      <p class="small"><a href="/assets/licences.txt">{t.account.licences}</a></p>
    </Page>
  );
}

function Profile({ of }: { of: User }) {
  const fields = useFields({ name: of.name, timezone: of.timezone });
  const save = useAction(async () => {
    const user = await call<User>('PATCH', '/me', { body: fields.values, version: of.version });
    session.set({ ...session.get()!, user });
    toast(t.key.saved);
  });
  return (
    <Section title={t.account.profile}>
      <Form of={save} params={fields} verb={t.key.save}>
        <Field label={t.signIn.name} {...fields.of('name', save.error)} isRequired input={{ autocomplete: 'name' }} />
        <Field label={t.account.timezone} {...fields.of('timezone', save.error)} isRequired input={{ list: 'zones' }} />
        <datalist id="zones">{Intl.supportedValuesOf('timeZone').map((zone) => <option key={zone} value={zone} />)}</datalist>
      </Form>
    </Section>
  );
}

function Password() {
  const fields = useFields({ current: '', new: '' });
  const save = useAction(async () => {
    await call('POST', '/me/password', { body: fields.values });
    fields.set({ current: '', new: '' });
    toast(t.account.passwordSaved);
  });
  return (
    <Section title={t.signIn.password}>
      <Form of={save} params={fields} verb={t.account.passwordVerb}>
        <Field label={t.account.current} type="password" {...fields.of('current', save.error)} isRequired input={{ autocomplete: 'current-password' }} />
        <NewPassword {...fields.of('new', save.error)} />
        <p class="small">{t.account.passwordEnds}</p>
      </Form>
    </Section>
  );
}

function Email() {
  const fields = useFields({ email: '' });
  const [isSent, setSent] = useState(false);
  const send = useAction(async () => {
    await call('POST', '/me/email', { body: fields.values });
    setSent(true);
  });
  const { email } = fields.values;
  return (
    <Section title={t.signIn.email}>
      {isSent ? <p role="status">{t.account.emailSent(email)}</p> : (
        <Form of={send} params={fields} verb={t.account.emailVerb}>
          <Field label={t.account.newEmail} type="email" {...fields.of('email', send.error)} isRequired hint={t.account.emailHint} />
        </Form>
      )}
    </Section>
  );
}

function Devices() {
  const devices = useLoad<Listing<Device>>('/me/sessions');
  const end = useAction(async (id: string | null) => {
    await call('DELETE', id === null ? '/me/sessions' : `/me/sessions/${id}`);
    devices.reload();
    toast(t.account.ended);
  });
  return (
    <Section title={t.account.devices} actions={<Button isBusy={end.isBusy} onClick={() => end.run(null)}>{t.account.endAll}</Button>}>
      {end.error && <FormError error={end.error} />}
      <List
        of={devices}
        empty=""
        bones={2}
        caption={t.account.devices}
        rowKey={(device) => device.id}
        columns={[
          { id: 'what', title: t.account.device, cell: (device) => <span title={device.user_agent}>{[device.browser, device.os].filter(Boolean).join(' · ') || device.user_agent}</span> },
          { id: 'seen', title: t.members.seen, cell: (device) => <Time at={device.last_seen_at} /> },
          { id: 'ip', title: t.account.address, cell: (device) => device.ip },
          { id: 'act', title: t.members.actions, cell: (device) => (device.current ? t.account.thisOne : <Button onClick={() => end.run(device.id)}>{t.account.endOne}</Button>) },
          { id: 'since', title: t.account.since, cell: (device) => <Time at={device.created_at} /> },
        ]}
      />
    </Section>
  );
}

function Close({ email }: { email: string }) {
  const close = async () => {
    await call('DELETE', '/me');
    session.set(null);
    go(PATHS.signIn);
  };
  return (
    <Section title={t.account.close}>
      <p>{t.account.closeText}</p>
      <p><Ask verb={t.account.close} title={t.account.close} text={t.account.closeText} kind="danger" typed={email} onConfirm={close} /></p>
    </Section>
  );
}
