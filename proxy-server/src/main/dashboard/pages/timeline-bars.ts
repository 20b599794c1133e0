import type { Attempt, RequestDetail } from '../app/types';

/** An attempt on the time axis of its request, in milliseconds since the request came. */
export interface Bar { attempt: Attempt; startMs: number; endMs: number; isFailed: boolean }

/** Places the attempts: where each began, or, in old records, where the one before it ended. */
export function barsOf(attempts: Attempt[]): Bar[] {
  let after = 0;
  return attempts.map((attempt) => {
    const startMs = attempt.at_ms ?? after;
    const endMs = startMs + attempt.ms;
    after = endMs;
    return { attempt, startMs, endMs, isFailed: attempt.outcome !== 'ok' && attempt.outcome !== 'success' };
  });
}

/** End of the axis: the last thing that happened. */
export function axisMs(of: RequestDetail): number {
  const ends = [of.total_ms ?? 0, ...barsOf(of.attempts).map((bar) => bar.endMs), ...of.phases.map((phase) => phase.at_ms)];
  return Math.max(1, ...ends);
}
