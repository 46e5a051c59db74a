// The controls that replay a session: play, pause, speed, and a slider.
import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { IconButton, Select } from "../../components/controls.tsx";
import { duration, fullTime } from "../../format.ts";
import { countUntil, type Entry, replayTimes } from "./outline.ts";

const SPEEDS = { 1: "1×", 4: "4×", 16: "16×", 64: "64×" };

interface ReplayProps {
  entries: readonly Entry[];
  /** Shows the first `count` entries. */
  show: (count: number) => void;
  close: () => void;
}

export function Replay({ entries, show, close }: ReplayProps) {
  const times = useMemo(() => replayTimes(entries), [entries]);
  const end = times.at(-1) ?? 0;
  const clock = useSignal(0);
  const isPlaying = useSignal(true);
  const speed = useSignal("16");

  const goTo = (to: number): void => {
    clock.value = Math.max(0, Math.min(end, to));
    show(countUntil(times, clock.value));
  };
  useEffect(() => {
    let frame = 0;
    let last = performance.now();
    const advance = (now: number): void => {
      if (isPlaying.value) {
        goTo(clock.value + (now - last) * Number(speed.value));
        isPlaying.value = clock.value < end;
      }
      last = now;
      frame = requestAnimationFrame(advance);
    };
    frame = requestAnimationFrame(advance);
    return () => cancelAnimationFrame(frame);
  }, [times]);

  const reached = entries[countUntil(times, clock.value) - 1];
  return (
    <div
      class="replay card floating inline one-line centered"
      role="group"
      aria-label="Replay"
      onKeyDown={({ key }) => key === "Escape" && close()}
    >
      <IconButton
        label={isPlaying.value ? "Pause" : "Play"}
        icon={isPlaying.value ? "pause" : "play"}
        onClick={() => {
          if (clock.value >= end) clock.value = 0;
          isPlaying.value = !isPlaying.value;
        }}
      />
      <div class="scrubber grow">
        <Ticks entries={entries} times={times} />
        <input
          type="range"
          aria-label="Position in the session"
          aria-valuetext={reached === undefined ? "the beginning" : fullTime(reached.at)}
          min={0}
          max={end}
          step={Math.max(1, Math.round(end / 1000))}
          value={clock.value}
          onInput={(event) => {
            isPlaying.value = false;
            goTo(event.currentTarget.valueAsNumber);
          }}
        />
      </div>
      <span class="replay-clock tiny num" title="Long waits are shortened">
        {wholeSeconds(clock.value)} <span class="muted">of {wholeSeconds(end)}</span>
      </span>
      <Select
        class="field"
        aria-label="Speed"
        options={SPEEDS}
        value={speed.value}
        onPick={(value) => (speed.value = value)}
      />
      <IconButton label="End the replay" icon="close" onClick={close} />
    </div>
  );
}

function wholeSeconds(ms: number): string {
  return duration(Math.round(ms / 1000) * 1000);
}

/** More marks would overlap. */
const MAX_TICKS = 150;

/** Marks prompts and failures on the slider. */
function Ticks({ entries, times }: { entries: readonly Entry[]; times: readonly number[] }) {
  const end = Math.max(1, times.at(-1) ?? 0);
  const positions = (isMarked: (entry: Entry) => boolean): number[] => {
    const marked = times.filter((_, index) => isMarked(entries[index] as Entry));
    return [...new Set(marked.map((time) => Math.round((time / end) * MAX_TICKS)))];
  };
  const prompts = useMemo(() => positions(({ kind }) => kind === "prompt"), [entries]);
  const failures = useMemo(() => positions(({ isError }) => isError), [entries]);
  return (
    <svg class="ticks" viewBox={`0 0 ${MAX_TICKS} 10`} preserveAspectRatio="none" aria-hidden="true">
      {prompts.map((x) => (
        <rect key={x} class="faint" x={x} y={0} width={0.6} height={10} />
      ))}
      {failures.map((x) => (
        <rect key={x} class="is-bad" x={x} y={5} width={0.6} height={5} />
      ))}
    </svg>
  );
}
