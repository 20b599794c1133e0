import type { ComponentChildren } from 'preact';
import type { Loaded, Paged } from '../app/load';
import { place, setQuery } from '../app/router';
import type { Listing } from '../app/types';
import { Choice, Field } from './field';
import { Table, type TableProps } from './table';
import { More, View } from './view';

interface ListProps<T> extends Omit<TableProps<T>, 'rows'> {
  of: Loaded<Listing<T>> | Paged<T, Listing<T>>;
  /** What is said where there is none. */
  empty: ComponentChildren;
  bones?: number;
}

/** A table of what is loaded, in one piece or page by page. */
export function List<T>({ of, empty, bones = 4, ...table }: ListProps<T>) {
  const isPaged = 'first' in of;
  const rows = isPaged ? of.rows : (of.data?.data ?? []);
  return (
    <>
      <View of={isPaged ? of.first : of} rows={bones} isEmpty={() => rows.length === 0} empty={typeof empty === 'string' ? <p>{empty}</p> : empty}>
        {() => <Table rows={rows} {...table} />}
      </View>
      {isPaged && <More of={of} />}
    </>
  );
}

/** A field whose text is a parameter of the address. */
export function QueryField({ name, label, type = 'search' }: { name: string; label: string; type?: string }) {
  return <Field label={label} type={type} value={place.use().query.get(name) ?? ''} onValue={(value) => setQuery({ [name]: value }, true)} />;
}

/** A choice that is a parameter of the address; the first option is the one without it. */
export function QueryChoice({ name, label, options }: { name: string; label: string; options: readonly (readonly [string, string])[] }) {
  const [initial] = options[0]!;
  return (
    <Choice
      label={label}
      value={place.use().query.get(name) ?? initial}
      options={options}
      onValue={(value) => setQuery({ [name]: value === initial ? '' : value })}
    />
  );
}
