import { useState } from 'preact/hooks';
import { useAction } from '../app/load';
import { Confirm, type ConfirmProps } from './dialog';
import { Button } from './parts';

interface AskProps extends Omit<ConfirmProps, 'of' | 'onClose'> {
  /** Name of the button for readers, where several have the same verb. */
  label?: string;
  kind?: 'danger' | 'plain';
  onConfirm(): Promise<void>;
}

/** A button for a change that is asked about first; a refusal shows in the dialog. */
export function Ask({ label, kind = 'plain', onConfirm, ...rest }: AskProps) {
  const [isAsked, setAsked] = useState(false);
  const act = useAction(async () => {
    await onConfirm();
    setAsked(false);
  });
  const ask = () => {
    act.clear();
    setAsked(true);
  };
  return (
    <>
      <Button kind={kind} aria-label={label} onClick={ask}>{rest.verb}</Button>
      {isAsked && <Confirm {...rest} of={act} onClose={() => setAsked(false)} />}
    </>
  );
}
