import { useRef, useState } from 'preact/hooks';
import { type Histogram, setQuery } from '../app';
import { t } from '../i18n/en';
import { absolute, Button, Table, Time, useClock, whole } from '../ui';

const HEIGHT = 72;
type Slot = Histogram['slots'][number];
const SERIES = [
  ['ok', 'ok-fill'],
  ['client_error', 'client-fill'],
  ['provider_error', 'provider-fill'],
  ['refused', 'refused-fill'],
] as const;

/** Requests over time, by class of outcome; a part is picked by dragging or by Shift and arrows. */
export function Strip({ of, period }: { of: Histogram; period: { from: string; to: string } }) {
  const { clock, zone } = useClock();
  const svg = useRef<SVGSVGElement>(null);
  const [picked, setPicked] = useState<{ from: number; to: number } | null>(null);
  const [isDragging, setDragging] = useState(false);
  const { slots } = of;
  const sum = (slot: Slot) => slot.ok + slot.client_error + slot.provider_error + slot.refused;
  const most = Math.max(1, ...slots.map(sum));
  const low = picked ? Math.min(picked.from, picked.to) : 0;
  const high = picked ? Math.max(picked.from, picked.to) : 0;
  const end = (i: number) => slots[i + 1]?.at ?? period.to;
  const at = (event: PointerEvent) => {
    const box = svg.current!.getBoundingClientRect();
    const i = Math.floor(((event.clientX - box.left) / box.width) * slots.length);
    return Math.min(slots.length - 1, Math.max(0, i));
  };
  const apply = () => {
    if (picked && slots[low]) {
      setQuery({ from: slots[low].at, to: end(high), range: '' });
      setPicked(null);
    }
  };
  const onKey = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      const to = Math.min(slots.length - 1, Math.max(0, (picked?.to ?? (step > 0 ? -1 : slots.length)) + step));
      setPicked({ from: event.shiftKey && picked ? picked.from : to, to });
    } else if (event.key === 'Enter') {
      event.preventDefault();
      apply();
    } else if (event.key === 'Escape' && picked) {
      event.preventDefault();
      setPicked(null);
    }
  };
  const told = (i: number) => {
    const slot = slots[i];
    return slot ? `${absolute(slot.at, clock, zone)}: ${SERIES.map(([name]) => `${slot[name]} ${t.series[name]}`).join(', ')}` : '';
  };
  const text = picked ? (low === high ? told(low) : t.strip.picked(absolute(slots[low]!.at, clock, zone), absolute(end(high), clock, zone))) : t.strip.none;
  return (
    <figure class="strip">
      <svg
        ref={svg}
        viewBox={`0 0 ${Math.max(1, slots.length)} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="slider"
        tabindex={0}
        aria-label={t.strip.label}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, slots.length - 1)}
        aria-valuenow={picked?.to ?? 0}
        aria-valuetext={text}
        onKeyDown={onKey}
        onPointerDown={(event) => {
          svg.current!.setPointerCapture(event.pointerId);
          setDragging(true);
          setPicked({ from: at(event), to: at(event) });
        }}
        onPointerMove={(event) => isDragging && picked && setPicked({ ...picked, to: at(event) })}
        onPointerUp={() => {
          setDragging(false);
          apply();
        }}
      >
        {slots.map((slot, i) => {
          let y = HEIGHT;
          return (
            <g key={slot.at}>
              {SERIES.map(([name, fill]) => {
                const height = (slot[name] / most) * HEIGHT;
                y -= height;
                return <rect key={name} class={fill} x={i + 0.1} y={y} width={0.8} height={height} />;
              })}
            </g>
          );
        })}
        {picked && <rect class="selected" x={low} width={high - low + 1} y={0} height={HEIGHT} />}
      </svg>
      <figcaption class="axis">
        <Time at={period.from} isFull />
        <span>
          {SERIES.map(([name, fill]) => (
            <span key={name}>
              <svg class="swatch" viewBox="0 0 1 1" aria-hidden="true"><rect class={fill} width="1" height="1" /></svg>
              {whole(slots.reduce((all, slot) => all + slot[name], 0))} {t.series[name]}
            </span>
          ))}
        </span>
        <Time at={period.to} isFull />
      </figcaption>
      {picked && (<div class="chips"><span class="small">{text}</span><Button onClick={apply}>{t.strip.apply}</Button></div>)}
      <details>
        <summary>{t.strip.asTable}</summary>
        <Table
          caption={t.strip.label}
          className="whole"
          rows={slots.filter((slot) => sum(slot) > 0)}
          rowKey={(slot) => slot.at}
          columns={[
            { id: 'at', title: t.columns.at, cell: (slot) => <Time at={slot.at} isFull /> },
            ...SERIES.map(([name]) => ({ id: name, title: t.series[name], cell: (slot: Slot) => whole(slot[name]), isNumber: true })),
          ]}
        />
      </details>
    </figure>
  );
}
