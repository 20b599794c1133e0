import { whole } from './numbers';

/** Largest amount that the API takes, in micro-USD. */
export const MICRO_MAX = Number.MAX_SAFE_INTEGER;

/** USD with as many decimals as show something: `$12.50`, `$0.000123`, `−$3.00`. */
export function usd(micro: number): string {
  const abs = Math.abs(micro);
  return sign(micro) + (abs >= 1_000_000 ? fixed(Math.round(abs / 10_000), 2, 2) : fixed(abs, 6, 2));
}

/** USD to the last micro-USD: `$1,204.000001`. */
export function usdExact(micro: number): string {
  return sign(micro) + fixed(Math.abs(micro), 6, 2);
}

/** USD of an amount in pico-USD, all digits: `$0.0001806`. */
export function usdOfPico(pico: number): string {
  return sign(pico) + fixed(Math.abs(pico), 12, 2);
}

/** Price of a million units whose single price is in pico-USD: `$0.15/M`. */
export function perMillion(pricePico: number): string {
  return `${usdOfPico(pricePico * 1_000_000)}/M`;
}

export function microTitle(micro: number): string {
  return `${whole(micro)} micro-USD`;
}

/** Micro-USD of a typed amount such as `12.5`; null if it is none, or finer than a micro-USD. */
export function parseUsd(text: string): number | null {
  const match = /^\$?\s*(\d{1,10})(?:\.(\d{1,6}))?$/.exec(text.trim().replaceAll(',', ''));
  if (!match) {
    return null;
  }
  const micro = Number(match[1]) * 1_000_000 + Number((match[2] ?? '').padEnd(6, '0'));
  return micro <= MICRO_MAX ? micro : null;
}

/** As `parseUsd`; null for an empty text, undefined for one that is no amount. */
export function optionalUsd(text: string): number | null | undefined {
  return text.trim() === '' ? null : (parseUsd(text) ?? undefined);
}

/** What a field shows for an amount: `12.5`; nothing for none. */
export function usdField(micro: number | null | undefined): string {
  return micro === null || micro === undefined ? '' : fixed(Math.abs(micro), 6, 2).slice(1).replaceAll(',', '');
}

function sign(amount: number): string {
  return amount < 0 ? '\u2212' : '';
}

/** `amount` in units of 10^-decimals, without zeros at the end beyond `least` decimals. */
function fixed(amount: number, decimals: number, least: number): string {
  const digits = BigInt(Math.round(amount)).toString().padStart(decimals + 1, '0');
  const fraction = digits.slice(-decimals).replace(/0+$/, '').padEnd(least, '0');
  return `$${whole(BigInt(digits.slice(0, -decimals)))}.${fraction}`;
}
