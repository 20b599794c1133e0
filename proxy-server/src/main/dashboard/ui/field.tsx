import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';
import type { ApiError } from '../app/errors';
import type { Action } from '../app/load';
import { t } from '../i18n/en';
import { Button } from './parts';

interface FieldProps {
  label: string;
  value: string;
  onValue(value: string): void;
  hint?: ComponentChildren;
  error?: string | undefined;
  type?: string;
  isArea?: boolean;
  isRequired?: boolean;
  suffix?: string;
  input?: JSX.InputHTMLAttributes<HTMLInputElement>;
}

/** A labelled field with its hint and what is wrong with it. */
export function Field({ label, value, onValue, hint, error, type = 'text', isArea, isRequired, suffix, input }: FieldProps) {
  const id = useId();
  const shared = {
    id,
    value,
    required: isRequired ?? false,
    'aria-invalid': error !== undefined,
    'aria-describedby': `${id}-hint ${id}-error`,
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <span class="input">
        {isArea ? (
          <textarea {...shared} rows={3} spellcheck={false} onInput={(event) => onValue(event.currentTarget.value)} />
        ) : (<input {...input} {...shared} type={type} onInput={(event) => onValue(event.currentTarget.value)} />)}
        {suffix && <span class="suffix">{suffix}</span>}
      </span>
      <span class="hint" id={`${id}-hint`}>{hint}</span>
      <span class="wrong" id={`${id}-error`} role={error ? 'alert' : undefined}>{error}</span>
    </div>
  );
}

interface SelectProps<T extends string> extends Omit<JSX.SelectHTMLAttributes<HTMLSelectElement>, 'value'> {
  value: T;
  options: readonly (readonly [NoInfer<T>, string])[];
  onValue(value: NoInfer<T>): void;
}

/** Options of a choice out of texts by their values. */
export const optionsOf = <T extends string>(texts: Record<T, string>) => Object.entries(texts) as [T, string][];

export function Select<T extends string>({ value, options, onValue, ...rest }: SelectProps<T>) {
  return (
    <select {...rest} value={value} onChange={(event) => onValue(event.currentTarget.value as T)}>
      {options.map(([option, text]) => (<option key={option} value={option} selected={option === value}>{text}</option>))}
    </select>
  );
}

export function Choice<T extends string>({ label, hint, ...rest }: SelectProps<T> & { label: string; hint?: string }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <Select {...rest} id={id} aria-describedby={`${id}-hint`} />
      <span class="hint" id={`${id}-hint`}>{hint}</span>
    </div>
  );
}

export function Check({ label, isOn, onChange }: { label: ComponentChildren; isOn: boolean; onChange(isOn: boolean): void }) {
  return (
    <label class="check">
      <input type="checkbox" checked={isOn} onChange={(event) => onChange(event.currentTarget.checked)} />
      <span>{label}</span>
    </label>
  );
}

/** Fields that belong together. */
export function Group({ title, children }: { title: string; children: ComponentChildren }) {
  return <fieldset><legend>{title}</legend>{children}</fieldset>;
}

interface FormProps {
  /** What it sends. */
  of: Action;
  /** Members that its fields show the errors of, or these fields. */
  params?: string[] | { values: Record<string, string> };
  /** Name of its button; without it the children have one. */
  verb?: string;
  kind?: 'primary' | 'danger';
  disabled?: boolean;
  onCancel?: () => void;
  children: ComponentChildren;
}

/** A form: Enter sends it. */
export function Form({ of, params = [], verb, kind = 'primary', disabled = false, onCancel, children }: FormProps) {
  const { error } = of;
  const names = Array.isArray(params) ? params : Object.keys(params.values);
  const isShownAtFields = error !== undefined && error.issues.length > 0 && names.some((param) => error.issueOf(param));
  return (
    <form
      class="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const wrong = event.currentTarget.querySelector<HTMLInputElement>(':invalid:not(fieldset)');
        if (wrong) {
          wrong.reportValidity();
        } else if (!disabled) {
          of.run();
        }
      }}
    >
      {children}
      {error && !isShownAtFields && <FormError error={error} />}
      {verb && (
        <div class="buttons">
          {onCancel && <Button onClick={onCancel}>{t.dialogs.cancel}</Button>}
          <Button type="submit" kind={kind} isBusy={of.isBusy} disabled={disabled}>{verb}</Button>
        </div>
      )}
    </form>
  );
}

/** What failed, in a sentence, with the code and the request's id. */
export function FormError({ error }: { error: ApiError }) {
  return (
    <p class="form-error" role="alert">
      {t.reasons[error.reason] ?? t.codes[error.code] ?? error.message}{' '}
      {error.requestId !== '' && <span class="small">{t.errors.id} <code>{error.requestId}</code></span>}
      {error.issues.length > 0 && (
        <ul>{error.issues.map((issue) => (<li key={issue.param}><code>{issue.param}</code>: {issue.message}</li>))}</ul>
      )}
    </p>
  );
}
