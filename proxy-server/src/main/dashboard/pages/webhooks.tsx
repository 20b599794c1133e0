import { useState } from 'preact/hooks';
import { call, type OrgPageProps, useAction, useLoad, type WebhookSecret } from '../app';
import { t } from '../i18n/en';
import { Ask, Button, Choice, Copy, Facts, FormError, optionsOf, Page, Section, Time, View } from '../ui';

/** The secret that signs the organization's webhooks: since when, its text, a new one. */
export function WebhooksPage({ view }: OrgPageProps) {
  const path = `/orgs/${view.org.id}/webhooks/secret`;
  const secret = useLoad<WebhookSecret>(path);
  const [shown, setShown] = useState<string | null>(null);
  const [keep, setKeep] = useState<keyof typeof t.keeps>('86400');
  const reveal = useAction(async () => setShown((await call<{ secret: string }>('POST', `${path}/reveal`)).secret));
  const rotate = async () => {
    setShown((await call<{ secret: string }>('POST', `${path}/rotate`, { body: { keep_seconds: Number(keep) } })).secret);
    secret.reload();
  };
  return (
    <Page title={t.pages.webhooks}>
      <p>{t.webhooks.text}</p>
      <Section title={t.webhooks.secret}>
        <View of={secret} rows={2}>
          {(data) => (
            <>
              <Facts
                of={[
                  [t.webhooks.made, data.created_at ? <Time key="made" at={data.created_at} /> : t.webhooks.none],
                  [t.webhooks.previous, data.previous_until ? <Time key="until" at={data.previous_until} isFull /> : t.webhooks.noPrevious],
                  [t.webhooks.stored, data.sealed ? t.webhooks.sealed : t.webhooks.unsealed],
                ]}
              />
              <p class="secret">{shown ? <Copy text={shown} label={t.secret.copy} /> : <code>whsec_••••••••••••••••</code>}</p>
            </>
          )}
        </View>
        {reveal.error && <FormError error={reveal.error} />}
        <div class="chips">
          {view.may('webhook_secret_reveal') && shown === null && (
            <Button isBusy={reveal.isBusy} onClick={() => reveal.run()}>{t.webhooks.reveal}</Button>
          )}
          {shown !== null && <Button onClick={() => setShown(null)}>{t.webhooks.hide}</Button>}
          {view.may('webhook_secret_rotate') && (
            <Ask verb={t.key.rotate} title={t.webhooks.rotateTitle} text={t.webhooks.rotateText} onConfirm={rotate}>
              <Choice label={t.webhooks.keep} value={keep} options={optionsOf(t.keeps)} onValue={setKeep} />
            </Ask>
          )}
        </div>
      </Section>
      <Section title={t.webhooks.receivers}><p>{t.webhooks.receiversText}</p></Section>
    </Page>
  );
}
