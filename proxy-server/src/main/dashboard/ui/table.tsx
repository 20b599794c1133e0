import type { ComponentChildren } from 'preact';

export interface Column<T> { id: string; title: string; cell(row: T): ComponentChildren; isNumber?: boolean }

export interface TableProps<T> {
  caption: string;
  columns: Column<T>[];
  rows: T[];
  rowKey(row: T): string;
  /** Key of the row that is open beside the table. */
  openKey?: string | undefined;
  className?: string;
}

/** Where an arrow key leads in a list: down, up or nowhere. */
export const stepOf = ({ key }: KeyboardEvent): number => (key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0);

/** A table whose rows are walked by the arrow keys; narrow screens show cards of four columns. */
export function Table<T>({ caption, columns, rows, rowKey, openKey, className = '' }: TableProps<T>) {
  const walk = (event: KeyboardEvent) => {
    const step = stepOf(event);
    const row = (event.target as Element).closest('tr');
    if (step === 0 || !row || (event.target as Element).matches('input, select, textarea')) {
      return;
    }
    const next = step > 0 ? row.nextElementSibling : row.previousElementSibling;
    const link = next?.querySelector<HTMLElement>('a, button');
    if (link) {
      event.preventDefault();
      link.focus();
    }
  };
  return (
    <div class={`table ${className}`} role="region" aria-label={caption} tabIndex={0}>
      <table>
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>{columns.map((column) => (<th key={column.id} scope="col" class={column.isNumber ? 'end' : ''}>{column.title}</th>))}</tr>
        </thead>
        <tbody onKeyDown={walk}>
          {rows.map((row) => (
            <tr key={rowKey(row)} class={openKey === rowKey(row) ? 'open' : ''}>
              {columns.map((column) => (
                <td key={column.id} data-label={column.title} class={column.isNumber ? 'end' : ''}><div>{column.cell(row)}</div></td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
