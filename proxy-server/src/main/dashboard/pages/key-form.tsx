import { useState } from 'preact/hooks';
import { type ApiError, type LimitsView, type Listing, type Model, useLoad } from '../app';
import { t } from '../i18n/en';
import { Check, Chip, Field, type Fields, Group } from '../ui';
import { type KeyDraft, LIMITS, MODALITIES, valuesIn } from './key-draft';

const MODELS_SHOWN_MAX = 100;

/** Members whose errors stand at their fields. */
export const SHOWN = ['name', 'daily_budget_micro', 'monthly_budget_micro', 'expires_at'];

interface KeyFieldsProps { orgId: string; fields: Fields<KeyDraft>; error: ApiError | undefined }

/** The sections of a key: what it may do, from where, how fast, for how much and until when. */
export function KeyFields({ orgId, fields, error }: KeyFieldsProps) {
  const defaults = useLoad<LimitsView>(`/orgs/${orgId}/limits`).data?.key_defaults;
  const modalities = valuesIn(fields.values.allowed_modalities);
  const money = { suffix: 'USD', hint: t.key.budgetHint, input: { inputMode: 'decimal' } } as const;
  return (
    <>
      <Field label={t.key.name} {...fields.of('name', error)} isRequired />
      <Field label={t.key.note} {...fields.of('note', error)} />
      <Group title={t.key.what}>
        <ModelPicker orgId={orgId} {...fields.of('allowed_models', error)} />
        <p>{t.key.modalities}</p>
        <div class="chips">
          {MODALITIES.map((one) => (
            <Check key={one} label={one} isOn={modalities.includes(one)} onChange={(isOn) => fields.set({ allowed_modalities: toggled(modalities, one, isOn) })} />
          ))}
        </div>
      </Group>
      <Group title={t.key.where}>
        <Field label={t.key.ips} {...fields.of('allowed_ips', error)} isArea hint={t.key.ipsHint} />
      </Group>
      <Group title={t.key.fast}>
        <div class="columns">
          {LIMITS.map((name) => (
            <Field key={name} label={t.limits[name]} {...fields.of(`limits.${name}`, error)} hint={t.key.limitHint(defaults?.[name] ?? null)} input={{ inputMode: 'numeric' }} />
          ))}
        </div>
      </Group>
      <Group title={t.key.much}>
        <div class="columns">
          <Field label={t.key.daily} {...fields.of('daily_budget_micro', error)} {...money} />
          <Field label={t.key.monthly} {...fields.of('monthly_budget_micro', error)} {...money} />
        </div>
      </Group>
      <Group title={t.key.until}>
        <Field label={t.key.expires} type="date" {...fields.of('expires_at', error)} hint={t.key.expiresHint} />
      </Group>
    </>
  );
}

/** The values with one of them, or without it. */
function toggled(all: string[], one: string, isOn: boolean): string {
  return (isOn ? [...all, one] : all.filter((other) => other !== one)).join('\n');
}

interface ModelPickerProps { orgId: string; value: string; onValue(models: string): void; error: string | undefined }

/** Chooses models out of the catalogue; none chosen means all. */
function ModelPicker({ orgId, value, onValue, error }: ModelPickerProps) {
  const chosen = valuesIn(value);
  const [search, setSearch] = useState('');
  const models = useLoad<Listing<Model>>(`/orgs/${orgId}/models`).data?.data ?? [];
  const found = models.filter(({ id }) => id.toLowerCase().includes(search.trim().toLowerCase()));
  return (
    <div class="picker">
      <Field label={t.key.models} type="search" value={search} onValue={setSearch} hint={chosen.length === 0 ? t.key.allModels : undefined} error={error} />
      <div class="chips">
        {chosen.map((id) => <Chip key={id} text={id} onRemove={() => onValue(toggled(chosen, id, false))} />)}
      </div>
      <div class="list" role="group" aria-label={t.key.models} tabIndex={0}>
        {found.slice(0, MODELS_SHOWN_MAX).map(({ id }) => (
          <Check key={id} label={<code>{id}</code>} isOn={chosen.includes(id)} onChange={(isOn) => onValue(toggled(chosen, id, isOn))} />
        ))}
        {found.length === 0 && <p class="quiet">{t.key.noModel}</p>}
        {found.length > MODELS_SHOWN_MAX && <p class="quiet">{t.key.moreModels(found.length - MODELS_SHOWN_MAX)}</p>}
      </div>
    </div>
  );
}
