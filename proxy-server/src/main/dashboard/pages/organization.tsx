import { useState } from 'preact/hooks';
import { call, go, loadSession, type Org, type OrgPageProps, type OrgView, useAction, useLoad } from '../app';
import { t } from '../i18n/en';
import {
  Ask, Button, Check, Copy, Facts, Field, Form, Group, Money, MONEY, Page, Section, State, Time, toast, usdField, useFields, View, wholeUpTo,
} from '../ui';

const POLICY = { daily_budget_max_micro: MONEY, monthly_budget_max_micro: MONEY, days_max: wholeUpTo(36_500, 1) };

/** The organization itself: its names, what developers may do with keys, its end. */
export function OrganizationPage({ view }: OrgPageProps) {
  const org = useLoad<Org>(`/orgs/${view.org.id}`);
  return (
    <Page title={t.pages.organization}>
      <View of={org} rows={6}>
        {(of) => (
          <>
            <Facts
              of={[
                [t.org.id, <Copy key="id" text={of.id} />],
                [t.keys.state, <State key="state" of={of.state} />],
                [t.key.created, <Time key="at" at={of.created_at} />],
                [t.pages.keys, t.keys.count(of.keys.count, of.keys.max)],
                [t.credits.limitMonth, <Money key="limit" micro={of.monthly_limit_micro} />],
              ]}
            />
            {view.may('org_update') && !view.isSuspended && <Settings key={of.version} of={of} onSaved={org.set} onStale={org.reload} />}
            <End view={view} of={of} />
          </>
        )}
      </View>
    </Page>
  );
}

function Settings({ of, onSaved, onStale }: { of: Org; onSaved(org: Org): void; onStale(): void }) {
  const policy = of.key_policy;
  const [isOpen, setOpen] = useState(policy.developers_create);
  const fields = useFields({
    name: of.name,
    display_name: of.display_name ?? '',
    daily_budget_max_micro: usdField(policy.daily_budget_max_micro),
    monthly_budget_max_micro: usdField(policy.monthly_budget_max_micro),
    days_max: policy.days_max?.toString() ?? '',
  });
  const save = useAction(async () => {
    const { name, display_name: displayName } = fields.values;
    const limits = fields.parse(POLICY);
    if (!limits) {
      return;
    }
    const keyPolicy = { ...limits, developers_create: isOpen };
    const changed = Object.entries(keyPolicy).filter(([member, value]) => value !== policy[member as keyof typeof policy]);
    const body = {
      ...(name === of.name ? {} : { name }),
      ...(displayName === (of.display_name ?? '') ? {} : { display_name: displayName === '' ? null : displayName }),
      ...(changed.length === 0 ? {} : { key_policy: keyPolicy }),
    };
    onSaved(await call<Org>('PATCH', `/orgs/${of.id}`, { body, version: of.version }));
    await loadSession();
    toast(t.key.saved);
  });
  return (
    <Section title={t.key.settings}>
      <Form of={save} params={['name', 'display_name']} verb={t.key.save}>
        <Field label={t.org.name} {...fields.of('name', save.error)} isRequired hint={t.org.nameHint} />
        <Field label={t.org.displayName} {...fields.of('display_name', save.error)} />
        <Group title={t.org.policy}>
          <p class="small">{t.org.policyHint}</p>
          <Check label={t.org.developersCreate} isOn={isOpen} onChange={setOpen} />
          <div class="columns">
            <Field label={t.org.dailyMax} {...fields.of('daily_budget_max_micro')} suffix="USD" />
            <Field label={t.org.monthlyMax} {...fields.of('monthly_budget_max_micro')} suffix="USD" />
            <Field label={t.org.daysMax} {...fields.of('days_max')} suffix={t.org.days} />
          </div>
        </Group>
        {save.error?.reason === 'version' && <Button onClick={onStale}>{t.conflict.reload}</Button>}
      </Form>
    </Section>
  );
}

function End({ view, of }: { view: OrgView; of: Org }) {
  const end = (run: () => Promise<unknown>) => async () => {
    await run();
    await loadSession();
    go('/');
  };
  const leave = end(() => call('POST', `/orgs/${of.id}/leave`));
  const close = end(() => call('DELETE', `/orgs/${of.id}`));
  return (
    <Section title={t.org.end}>
      <div class="chips">
        {view.role !== 'operator' && <Ask verb={t.org.leave} title={t.org.leave} text={t.org.leaveText} onConfirm={leave} />}
        {view.may('org_close') && of.state !== 'closed' && (
          <Ask verb={t.org.close} title={t.org.close} text={t.org.closeText} kind="danger" typed={of.name} onConfirm={close} />
        )}
      </div>
    </Section>
  );
}
