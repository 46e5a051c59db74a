// The session itself: a list of which only what is near the window exists, with what was learned beside it.
import { batch, useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { ErrorBox } from "../../components/error-box.tsx";
import { Icon } from "../../components/icon.tsx";
import { type ListControl, VirtualList } from "../../components/virtual-list.tsx";
import { count } from "../../format.ts";
import { navigate, route } from "../../router.ts";
import type { Observation } from "../../wire.ts";
import { listenForTurns, nextFailure, Toggle, Turns } from "./bar.tsx";
import { Find } from "./find.tsx";
import { highlight } from "./highlight.ts";
import type { Items } from "./items.ts";
import { Notes, placeNotes } from "./notes.tsx";
import { type Entry, estimateHeight, type Outline, visibleRows } from "./outline.ts";
import { BELOW_BAR_PX, listenForJumps, notedPlace, notePlaces, type Place, placeIn } from "./place.ts";
import { Replay } from "./replay.tsx";
import { ItemRow, type RowActions } from "./row.tsx";

export interface TranscriptProps {
  id: string;
  outline: Outline;
  items: Items;
  observations: readonly Observation[];
}

export function Transcript({ id, outline, items, observations }: TranscriptProps) {
  const open = useSignal<ReadonlySet<string>>(new Set());
  const isTalkOnly = useSignal(false);
  /** How much of it has happened in the replay; undefined where none is running. */
  const replayed = useSignal<number | undefined>(undefined);
  /** The item that was jumped to. */
  const marked = useSignal("");
  const sought = useSignal("");
  const control = useRef<ListControl | undefined>(undefined);
  const wanted = useRef<Place | undefined>(undefined);

  const rows = useMemo(
    () => visibleRows(outline, { open: open.value, until: replayed.value ?? Infinity, talkOnly: isTalkOnly.value }),
    [outline, open.value, replayed.value, isTalkOnly.value],
  );
  const keys = useMemo(() => rows.map((index) => outline.entries[index]?.id ?? ""), [rows]);
  const notes = useMemo(() => placeNotes(outline, observations), [outline, observations]);
  const failures = useMemo(() => outline.entries.filter(({ isError }) => isError).length, [outline]);
  // What listeners that live longer than one rendering look at.
  const shown = useRef({ rows, keys, outline });
  shown.current = { rows, keys, outline };

  const actions: RowActions = {
    sessionId: id,
    isOpen: (item) => open.value.has(item),
    toggle: (item) => {
      const next = new Set(open.value);
      if (!next.delete(item)) next.add(item);
      open.value = next;
    },
  };

  const settle = (): void => {
    const place = wanted.current;
    const row = place === undefined ? -1 : shown.current.keys.indexOf(place.id);
    if (place === undefined || row === -1) return;
    wanted.current = undefined;
    control.current?.show(row, place.offsetPx);
  };
  /** Shows an item wherever it is: in a folded subagent, or among the tools that are left out. */
  const goTo = (item: string, unfold = false): void => {
    const { entries, indexes } = shown.current.outline;
    const entry = entries[indexes.get(item) ?? -1];
    if (entry === undefined) return;
    const next = new Set(open.peek());
    if (entry.agent !== "") next.add(entry.agent);
    if (unfold) next.add(item);
    batch(() => {
      replayed.value = undefined;
      if (entry.kind === "tool" || entry.kind === "subagent" || entry.agent !== "") isTalkOnly.value = false;
      if (next.size !== open.peek().size) open.value = next;
      marked.value = item;
    });
    wanted.current = { id: item, offsetPx: BELOW_BAR_PX };
    settle();
  };
  const rowNow = (): number => shown.current.rows[control.current?.place(BELOW_BAR_PX + 1).index ?? 0] ?? 0;

  useEffect(settle, [keys]);
  useEffect(() => items.refresh(outline.entries), [outline]);
  // The address leads to an item; coming back, or loading again, leads to where one was.
  useSignalEffect(() => {
    const { hash } = route.value;
    const place = notedPlace();
    if (place !== undefined) {
      marked.value = hash;
      wanted.current = place;
      settle();
    } else if (hash !== "") goTo(hostOf(hash, notes));
  });
  useEffect(() => notePlaces(() => placeIn(control.current, shown.current.keys)), []);
  useEffect(
    () =>
      listenForTurns((step) => {
        const next = nextPrompt(shown.current.outline.entries, rowNow(), step);
        if (next !== undefined) navigate(`#${next.id}`, { replace: true });
      }),
    [],
  );
  // During a replay one sees what happens last, above the bar.
  useEffect(() => {
    if (replayed.value === undefined) return;
    control.current?.show(keys.length - 1, Math.max(BELOW_BAR_PX, innerHeight - ABOVE_REPLAY_PX));
  }, [replayed.value]);

  const failure = items.error();
  const cameFrom = useSignal(false);
  useEffect(
    () =>
      listenForJumps((hasJumped) => {
        cameFrom.value = hasJumped;
      }),
    [],
  );
  const onRange = (from: number, to: number): void => {
    const first = shown.current.rows[from];
    const last = shown.current.rows[to - 1];
    if (first !== undefined && last !== undefined) items.ensure(shown.current.outline.entries, first, last + 1);
    if (sought.peek() !== "") requestAnimationFrame(() => highlight(sought.peek()));
  };
  return (
    <>
      <div class="session-bar">
        <Find
          sessionId={id}
          onFound={(words) => {
            sought.value = words;
            highlight(words);
          }}
          onPlace={(item) => goTo(item, true)}
        />
        <Turns outline={outline} />
        <Toggle
          isOn={isTalkOnly.value}
          title="Prompts and answers, without the tools"
          onClick={() => (isTalkOnly.value = !isTalkOnly.value)}
        >
          Talk only
        </Toggle>
        {failures > 0 && (
          <button
            class="button quiet"
            title="Go to the next thing that failed"
            onClick={() => {
              const next = nextFailure(outline.entries, rowNow());
              if (next !== undefined) navigate(`#${next.id}`, { replace: true });
            }}
          >
            <Icon name="warning" />
            {count(failures, "failure")}
          </button>
        )}
        <Toggle
          isOn={replayed.value !== undefined}
          onClick={() => (replayed.value = replayed.value === undefined ? 1 : undefined)}
        >
          <Icon name="play" />
          Replay
        </Toggle>
      </div>
      {failure !== undefined && (
        <ErrorBox error={failure} retry={() => items.ensure(outline.entries, rowNow(), rowNow() + 1)} />
      )}
      <VirtualList
        label="The session"
        keys={keys}
        control={control}
        onRange={onRange}
        estimate={(row) => estimateHeight(entryAt(outline, rows[row]), COLUMN_PX)}
        row={(row) => {
          const entry = entryAt(outline, rows[row]);
          return (
            <Row
              entry={entry}
              items={items}
              actions={actions}
              isMarked={marked.value === entry.id}
              notes={notes.get(entry.id)}
              mayHang={keys.slice(row + 1, row + 1 + FREE_ROWS).every((key) => !notes.has(key))}
            />
          );
        }}
      />
      {cameFrom.value && replayed.value === undefined && (
        <button class="pill back" onClick={() => history.back()}>
          Back to where you were
        </button>
      )}
      {replayed.value !== undefined && (
        <Replay
          entries={outline.entries}
          onReach={(reached) => (replayed.value = reached)}
          onClose={() => (replayed.value = undefined)}
        />
      )}
    </>
  );
}

const ABOVE_REPLAY_PX = 280;
/** So many rows without notes leave room for one that hangs down. */
const FREE_ROWS = 2;
/** As wide as the text mostly is: good enough to guess heights by. */
const COLUMN_PX = 700;

interface RowProps {
  entry: Entry;
  items: Items;
  actions: RowActions;
  isMarked: boolean;
  notes: readonly Observation[] | undefined;
  mayHang: boolean;
}

function Row({ entry, items, actions, isMarked, notes, mayHang }: RowProps) {
  const item = items.get(entry.id);
  const names = ["entry", `of-${entry.kind}`, entry.agent !== "" && "is-nested", isMarked && "is-marked"];
  return (
    <div class={names.filter(Boolean).join(" ")}>
      <div class="entry-body">
        {item !== undefined ? (
          <ItemRow item={item} turn={entry.turn} actions={actions} />
        ) : (
          <div class="waiting" style={{ height: `${estimateHeight(entry, COLUMN_PX) - 8}px` }} />
        )}
      </div>
      {notes !== undefined && <Notes notes={notes} actions={actions} mayHang={mayHang && notes.length === 1} />}
    </div>
  );
}

const NO_ENTRY: Entry = { id: "", kind: "tool", turn: 0, at: 0, isError: false, bytes: 0, name: "", agent: "" };

function entryAt({ entries }: Outline, index: number | undefined): Entry {
  return entries[index ?? -1] ?? NO_ENTRY;
}

/** A link to an observation leads to what it stands beside. */
function hostOf(hash: string, notes: ReadonlyMap<string, readonly Observation[]>): string {
  if (!hash.startsWith("o")) return hash;
  for (const [host, beside] of notes) if (beside.some(({ id }) => id === hash)) return host;
  return hash;
}

function nextPrompt(entries: readonly Entry[], from: number, step: 1 | -1): Entry | undefined {
  for (let index = from + step; index >= 0 && index < entries.length; index += step) {
    const entry = entries[index];
    if (entry?.kind === "prompt" && entry.agent === "") return entry;
  }
  return undefined;
}
