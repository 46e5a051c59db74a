// The session as it went, in time: play, pause, faster, and a bar to go anywhere in it.
import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { Icon } from "../../components/icon.tsx";
import { duration, fullTime } from "../../format.ts";
import { type Entry, happenedBy, replayTimes } from "./outline.ts";

const SPEEDS = [1, 4, 16, 64] as const;

export function Replay({
  entries,
  onReach,
  onClose,
}: {
  entries: readonly Entry[];
  /** So many entries have happened. */
  onReach: (count: number) => void;
  onClose: () => void;
}) {
  const times = useMemo(() => replayTimes(entries), [entries]);
  const end = times.at(-1) ?? 0;
  const clock = useSignal(0);
  const isPlaying = useSignal(true);
  const speed = useSignal<number>(16);

  useEffect(() => {
    let frame = 0;
    let last = performance.now();
    const step = (now: number): void => {
      if (isPlaying.value) {
        clock.value = Math.min(end, clock.value + (now - last) * speed.value);
        if (clock.value >= end) isPlaying.value = false;
        onReach(happenedBy(times, clock.value));
      }
      last = now;
      frame = requestAnimationFrame(step);
    };
    frame = requestAnimationFrame(step);
    return () => cancelAnimationFrame(frame);
  }, [times]);

  const goTo = (to: number): void => {
    clock.value = Math.max(0, Math.min(end, to));
    onReach(happenedBy(times, clock.value));
  };
  const reached = entries[happenedBy(times, clock.value) - 1];
  return (
    <div
      class="replay card"
      role="group"
      aria-label="Replay"
      onKeyDown={(event) => event.key === "Escape" && onClose()}
    >
      <button
        class="icon-button"
        aria-label={isPlaying.value ? "Pause" : "Play"}
        onClick={() => {
          if (clock.value >= end) clock.value = 0;
          isPlaying.value = !isPlaying.value;
        }}
      >
        <Icon name={isPlaying.value ? "pause" : "play"} />
      </button>
      <div class="scrubber">
        <Ticks entries={entries} times={times} end={end} />
        <input
          type="range"
          aria-label="Place in the session"
          aria-valuetext={reached === undefined ? "the beginning" : fullTime(reached.at)}
          min={0}
          max={end}
          step={Math.max(1, Math.round(end / 1000))}
          value={clock.value}
          onInput={(event) => {
            isPlaying.value = false;
            goTo(Number(event.currentTarget.value));
          }}
        />
      </div>
      <span class="replay-clock num" title="Long waits are cut short">
        {duration(Math.round(clock.value / 1000) * 1000)}{" "}
        <span class="muted">of {duration(Math.round(end / 1000) * 1000)}</span>
      </span>
      <label>
        <span class="hidden">Speed</span>
        <select value={speed.value} onChange={(event) => (speed.value = Number(event.currentTarget.value))}>
          {SPEEDS.map((each) => (
            <option key={each} value={each}>
              {each}×
            </option>
          ))}
        </select>
      </label>
      <button class="icon-button" aria-label="End the replay" onClick={onClose}>
        <Icon name="close" />
      </button>
    </div>
  );
}

/** Where prompts stand on the bar, and where something failed. */
function Ticks({ entries, times, end }: { entries: readonly Entry[]; times: readonly number[]; end: number }) {
  const placesOf = (isWanted: (entry: Entry) => boolean): number[] => [
    ...new Set(
      entries.flatMap((entry, index) =>
        isWanted(entry) ? [Math.round(((times[index] ?? 0) / Math.max(1, end)) * TICKS)] : [],
      ),
    ),
  ];
  const prompts = useMemo(() => placesOf(({ kind }) => kind === "prompt"), [entries]);
  const failures = useMemo(() => placesOf(({ isError }) => isError), [entries]);
  return (
    <svg class="ticks" viewBox={`0 0 ${TICKS} 10`} preserveAspectRatio="none" aria-hidden="true">
      {prompts.map((x) => (
        <rect key={x} class="ask" x={x} y={0} width={0.6} height={10} />
      ))}
      {failures.map((x) => (
        <rect key={x} class="bad" x={x} y={5} width={0.6} height={5} />
      ))}
    </svg>
  );
}

/** So many places the bar has for them: more could not be told apart. */
const TICKS = 150;
