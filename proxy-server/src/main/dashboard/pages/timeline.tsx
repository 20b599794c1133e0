import { type RequestDetail } from '../app';
import { t } from '../i18n/en';
import { duration, State, Table } from '../ui';
import { axisMs, barsOf } from './timeline-bars';

const WIDTH = 600;
const ROW = 24;
const TOP = 18;

/** Phases and attempts on one axis of time, and the same as tables for readers. */
export function Timeline({ of }: { of: RequestDetail }) {
  const end = axisMs(of);
  const bars = barsOf(of.attempts);
  const x = (millis: number) => (millis / end) * WIDTH;
  const height = TOP + Math.max(1, bars.length) * ROW + 4;
  return (
    <>
      <svg class="timeline" viewBox={`0 0 ${WIDTH} ${height}`} role="img" aria-label={t.timeline.label(bars.length, duration(end))}>
        <defs>
          <pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
            <line class="hatch" x1="0" y1="0" x2="0" y2="6" />
          </pattern>
        </defs>
        {of.phases.map(({ phase, at_ms }) => (
          <line key={phase} class="phase" x1={x(at_ms)} x2={x(at_ms)} y1={TOP - 4} y2={height}><title>{`${phase} ${duration(at_ms)}`}</title></line>
        ))}
        <text x={2} y={12}>0</text>
        <text x={WIDTH - 2} y={12} text-anchor="end">{duration(end)}</text>
        {bars.map(({ attempt, startMs, endMs, isFailed }, i) => {
          const y = TOP + i * ROW;
          const isRight = x(startMs) > WIDTH / 2;
          return (
            <g key={i}>
              {attempt.resumed && i > 0 && <line class="phase" x1={x(startMs)} x2={x(startMs)} y1={y - ROW / 2} y2={y} />}
              <rect
                class={`attempt ${isFailed ? 'failed' : ''}`}
                fill={isFailed ? 'url(#hatch)' : undefined}
                x={x(startMs)}
                y={y}
                width={Math.max(2, x(endMs) - x(startMs))}
                height={8}
              />
              <text x={isRight ? WIDTH - 2 : x(startMs) + 2} y={y + 19} text-anchor={isRight ? 'end' : 'start'}>
                {attempt.provider} · {attempt.reason ?? attempt.outcome} · {duration(endMs - startMs)}
              </text>
            </g>
          );
        })}
      </svg>
      {bars.length > 0 && (
        <Table
          caption={t.timeline.attempts}
          rows={bars}
          rowKey={(bar) => `${bar.attempt.provider} ${bar.startMs} ${bars.indexOf(bar)}`}
          columns={[
            { id: 'provider', title: t.columns.provider, cell: (bar) => bar.attempt.provider },
            { id: 'outcome', title: t.timeline.outcome, cell: (bar) => <State of={bar.attempt.outcome} tone={bar.isFailed ? 'bad' : 'ok'} text={outcome(bar.attempt)} /> },
            { id: 'at', title: t.timeline.start, cell: (bar) => duration(bar.startMs), isNumber: true },
            { id: 'ms', title: t.timeline.took, cell: (bar) => duration(bar.endMs - bar.startMs), isNumber: true },
          ]}
        />
      )}
      {of.phases.length > 0 && <p class="small">{of.phases.map(({ phase, at_ms }) => `${phase} ${duration(at_ms)}`).join(' · ')}</p>}
    </>
  );
}

function outcome(attempt: RequestDetail['attempts'][number]): string {
  const words = [attempt.status, attempt.outcome.replaceAll('_', ' '), attempt.reason, attempt.resumed ? t.marks.resumed : null];
  return words.filter((word) => word !== null && word !== undefined).join(' · ');
}
