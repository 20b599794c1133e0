import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useAction } from '../app/load';
import { Confirm } from './dialog';
import { Button } from './parts';

interface AskProps {
  verb: string;
  title: string;
  text: string;
  /** Name of the button for readers, where several have the same verb. */
  label?: string;
  kind?: 'danger' | 'plain';
  typed?: string | undefined;
  children?: ComponentChildren;
  onConfirm(): Promise<void>;
}

/** A button for a change that is asked about first; a refusal shows in the dialog. */
export function Ask({ verb, title, text, label, kind = 'plain', typed, children, onConfirm }: AskProps) {
  const [isAsked, setAsked] = useState(false);
  const act = useAction(async () => {
    await onConfirm();
    setAsked(false);
  });
  const ask = () => {
    act.clear();
    setAsked(true);
  };
  const close = () => setAsked(false);
  return (
    <>
      <Button kind={kind} aria-label={label} onClick={ask}>{verb}</Button>
      {isAsked && (
        <Confirm title={title} text={<p>{text}</p>} verb={verb} typed={typed} isBusy={act.isBusy} error={act.error} onConfirm={act.run} onClose={close}>
          {children}
        </Confirm>
      )}
    </>
  );
}
