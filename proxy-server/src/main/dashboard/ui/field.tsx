import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';
import type { ApiError } from '../app/errors';
import { t } from '../i18n/en';

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

interface ChoiceProps<T extends string> {
  label: string;
  value: T;
  options: readonly (readonly [NoInfer<T>, string])[];
  onValue(value: NoInfer<T>): void;
  hint?: string;
  error?: string | undefined;
  disabled?: boolean;
}

export function Choice<T extends string>({ label, value, options, onValue, hint, error, disabled }: ChoiceProps<T>) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={value}
        disabled={disabled ?? false}
        aria-describedby={`${id}-hint`}
        onChange={(event) => onValue(event.currentTarget.value as T)}
      >
        {options.map(([option, text]) => (<option key={option} value={option} selected={option === value}>{text}</option>))}
      </select>
      <span class={error ? 'wrong' : 'hint'} id={`${id}-hint`}>{error ?? hint}</span>
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

/** A form: Enter sends it; `params` are the members that its fields show the errors of. */
export function Form({ onSend, error, params = [], children }: {
  onSend(): void;
  error?: ApiError | undefined;
  params?: string[];
  children: ComponentChildren;
}) {
  const isShownAtFields = error !== undefined && error.issues.length > 0 && params.some((param) => error.issueOf(param));
  return (
    <form
      class="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const wrong = event.currentTarget.querySelector<HTMLInputElement>(':invalid:not(fieldset)');
        if (wrong) {
          wrong.reportValidity();
        } else {
          onSend();
        }
      }}
    >
      {children}
      {error && !isShownAtFields && <FormError error={error} />}
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
