import { useState } from 'preact/hooks';
import { call } from '../app/api';
import { useAction, useLoad } from '../app/load';
import { go } from '../app/router';
import { PATHS } from '../app/routes';
import { session } from '../app/session';
import { setTheme, theme, type Theme } from '../app/theme';
import type { Device, Listing, User } from '../app/types';
import { t } from '../i18n/en';
import { Confirm } from '../ui/dialog';
import { Choice, Field, Form } from '../ui/field';
import { Button, Page, Section, Time } from '../ui/parts';
import { Table } from '../ui/table';
import { toast } from '../ui/toast';
import { View } from '../ui/view';
import { NewPassword } from './sign-in';

const THEMES: Theme[] = ['system', 'light', 'dark'];

/** The user's own account: name, looks, password, devices, end. */
export function AccountPage() {
  const user = session.use()!.user;
  const [chosen, setChosen] = useState(theme);
  return (
    <Page title={t.pages.account} note={user.email}>
      <Profile key={user.version} of={user} />
      <Section title={t.account.theme}>
        <Choice
          label={t.account.theme}
          value={chosen}
          options={THEMES.map((one) => [one, t.themes[one]] as const)}
          onValue={(one) => {
            setTheme(one);
            setChosen(one);
          }}
        />
      </Section>
      <Password />
      <Email />
      <Devices />
      <Close email={user.email} />
    </Page>
  );
}

function Profile({ of }: { of: User }) {
  const [name, setName] = useState(of.name);
  const [timezone, setTimezone] = useState(of.timezone);
  const save = useAction(async () => {
    const user = await call<User>('PATCH', '/me', { body: { name, timezone }, version: of.version });
    session.set({ ...session.get()!, user });
    toast(t.key.saved);
  });
  const zones = Intl.supportedValuesOf('timeZone');
  return (
    <Section title={t.account.profile}>
      <Form onSend={save.run} error={save.error} params={['name', 'timezone']}>
        <Field label={t.signIn.name} value={name} onValue={setName} isRequired error={save.error?.issueOf('name')} input={{ autocomplete: 'name' }} />
        <Field
          label={t.account.timezone}
          value={timezone}
          onValue={setTimezone}
          isRequired
          error={save.error?.issueOf('timezone')}
          input={{ list: 'zones' }}
        />
        <datalist id="zones">{zones.map((zone) => <option key={zone} value={zone} />)}</datalist>
        <div class="buttons"><Button type="submit" kind="primary" isBusy={save.isBusy}>{t.key.save}</Button></div>
      </Form>
    </Section>
  );
}

function Password() {
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const save = useAction(async () => {
    await call('POST', '/me/password', { body: { current, new: next } });
    setCurrent('');
    setNext('');
    toast(t.account.passwordSaved);
  });
  return (
    <Section title={t.signIn.password}>
      <Form onSend={save.run} error={save.error} params={['new', 'current']}>
        <Field
          label={t.account.current}
          type="password"
          value={current}
          onValue={setCurrent}
          isRequired
          error={save.error?.issueOf('current')}
          input={{ autocomplete: 'current-password' }}
        />
        <NewPassword value={next} onValue={setNext} error={save.error?.issueOf('new')} />
        <p class="small">{t.account.passwordEnds}</p>
        <div class="buttons"><Button type="submit" kind="primary" isBusy={save.isBusy}>{t.account.passwordVerb}</Button></div>
      </Form>
    </Section>
  );
}

function Email() {
  const [email, setEmail] = useState('');
  const [isSent, setSent] = useState(false);
  const send = useAction(async () => {
    await call('POST', '/me/email', { body: { email } });
    setSent(true);
  });
  return (
    <Section title={t.signIn.email}>
      {isSent ? (
        <p role="status">{t.account.emailSent(email)}</p>
      ) : (
        <Form onSend={send.run} error={send.error} params={['email']}>
          <Field
            label={t.account.newEmail}
            type="email"
            value={email}
            onValue={setEmail}
            isRequired
            hint={t.account.emailHint}
            error={send.error?.issueOf('email')}
          />
          <div class="buttons"><Button type="submit" isBusy={send.isBusy}>{t.account.emailVerb}</Button></div>
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
      {end.error && <p class="form-error" role="alert">{end.error.message}</p>}
      <View of={devices} rows={2}>
        {({ data }) => (
          <Table
            caption={t.account.devices}
            rows={data}
            rowKey={(device) => device.id}
            columns={[
              { id: 'what', title: t.account.device, cell: (device) => <span title={device.user_agent}>{[device.browser, device.os].filter(Boolean).join(' · ') || device.user_agent}</span> },
              { id: 'seen', title: t.members.seen, cell: (device) => <Time at={device.last_seen_at} /> },
              { id: 'ip', title: t.account.address, cell: (device) => device.ip },
              {
                id: 'act',
                title: t.members.actions,
                cell: (device) => (device.current ? t.account.thisOne : <Button onClick={() => end.run(device.id)}>{t.account.endOne}</Button>),
              },
              { id: 'since', title: t.account.since, cell: (device) => <Time at={device.created_at} /> },
            ]}
          />
        )}
      </View>
    </Section>
  );
}

function Close({ email }: { email: string }) {
  const [isAsked, setAsked] = useState(false);
  const close = useAction(async () => {
    await call('DELETE', '/me');
    session.set(null);
    go(PATHS.signIn);
  });
  return (
    <Section title={t.account.close}>
      <p>{t.account.closeText}</p>
      <p><Button kind="danger" onClick={() => setAsked(true)}>{t.account.close}</Button></p>
      {isAsked && (
        <Confirm
          title={t.account.close}
          text={<p>{t.account.closeText}</p>}
          verb={t.account.close}
          typed={email}
          isBusy={close.isBusy}
          error={close.error}
          onConfirm={close.run}
          onClose={() => setAsked(false)}
        />
      )}
    </Section>
  );
}
