// The items of a session with the observations made from them, and the bar to move in it.
import { batch, useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { Button } from "../../components/controls.tsx";
import { isShortcut, useListener } from "../../components/hooks.ts";
import { ErrorBox } from "../../components/page.tsx";
import { type ListControl, VirtualList } from "../../components/virtual-list.tsx";
import { count } from "../../format.ts";
import { navigate, route } from "../../router.ts";
import { Find, highlight } from "./find.tsx";
import type { Items } from "./items.ts";
import { Notes, type Observation, placeNotes } from "./notes.tsx";
import { type Entry, estimateHeight, isWork, type Outline, visibleEntries } from "./outline.ts";
import { PromptMenu } from "./prompt-menu.tsx";
import { Replay } from "./replay.tsx";
import { ItemRow } from "./row.tsx";

/** Where an item that was jumped to is shown: below the sticky bar. */
const BELOW_BAR_PX = 96;
const ABOVE_REPLAY_PX = 280;
const SAVE_PAUSE_MS = 200;
/** A note may overhang when this many rows below it have no notes. */
const FREE_ROWS = 2;

/** A row and where in the window it starts; kept in the history to return to. */
interface Place {
  id: string;
  offsetPx: number;
}

interface TranscriptProps {
  id: string;
  outline: Outline;
  items: Items;
  observations: readonly Observation[];
}

export function Transcript({ id, outline, items, observations }: TranscriptProps) {
  const { entries, indexes } = outline;
  const open = useSignal<ReadonlySet<string>>(new Set());
  const talkOnly = useSignal(false);
  /** How many entries the replay shows; undefined without a replay. */
  const replayed = useSignal<number | undefined>(undefined);
  /** The item that was jumped to. */
  const marked = useSignal("");
  const searched = useSignal("");
  const hasJumped = useSignal(false);
  const control = useRef<ListControl | undefined>(undefined);
  /** Shown as soon as its row exists. */
  const target = useRef<Place | undefined>(undefined);

  const rows = useMemo(
    () => visibleEntries(outline, { open: open.value, until: replayed.value ?? Infinity, talkOnly: talkOnly.value }),
    [outline, open.value, replayed.value, talkOnly.value],
  );
  const keys = useMemo(() => rows.map((entry) => entry.id), [rows]);
  const notes = useMemo(() => placeNotes(outline, observations), [outline, observations]);
  const prompts = useMemo(() => entries.filter(({ kind, agent }) => kind === "prompt" && agent === ""), [outline]);
  const failures = useMemo(() => entries.filter(({ isError }) => isError), [outline]);

  const showTarget = (): void => {
    const place = target.current;
    if (place !== undefined && control.current?.show(place.id, place.offsetPx) === true) target.current = undefined;
  };
  /** Shows an item, even if it is in a folded subagent or a hidden tool use. */
  const goTo = (item: string, unfold = false): void => {
    const entry = entries[indexes.get(item) ?? -1];
    if (entry === undefined) return;
    const next = new Set([...open.peek(), ...(unfold ? [item] : []), ...(entry.agent === "" ? [] : [entry.agent])]);
    batch(() => {
      replayed.value = undefined;
      if (isWork(entry)) talkOnly.value = false;
      if (next.size !== open.peek().size) open.value = next;
      marked.value = item;
    });
    target.current = { id: item, offsetPx: BELOW_BAR_PX };
    showTarget();
  };
  const isAfterCurrent = ({ id: item }: Entry): boolean => position(item) > position(currentRow());
  const position = (item: string | undefined): number => indexes.get(item ?? "") ?? 0;
  const currentRow = (): string | undefined => control.current?.rowAt(BELOW_BAR_PX + 1).key;
  const follow = (entry: Entry | undefined): void => {
    if (entry !== undefined) navigate(`#${entry.id}`, { replace: true });
  };

  useEffect(showTarget, [keys]);
  useEffect(() => items.refreshLast(entries), [outline]);
  // Going back or reloading returns to the saved place, a link leads to its item.
  useSignalEffect(() => {
    const { hash } = route.value;
    const { place } = (history.state ?? {}) as { place?: Place };
    if (place === undefined) goTo(hostOf(hash, notes));
    else {
      marked.value = hash;
      target.current = place;
      showTarget();
    }
  });
  const savePlace = (): void => {
    const row = control.current?.rowAt(BELOW_BAR_PX);
    if (row?.key === undefined) return;
    const place: Place = { id: row.key, offsetPx: row.topPx };
    history.replaceState({ ...(history.state as object | null), place }, "");
  };
  const saveTimer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(saveTimer.current), []);
  const saveSoon = (): void => {
    clearTimeout(saveTimer.current);
    saveTimer.current = setTimeout(savePlace, SAVE_PAUSE_MS);
  };
  useListener("scroll", saveSoon, { passive: true });
  useListener("pagehide", savePlace);
  // Saves the place before a link changes the address.
  useListener("click", savePlace, { capture: true });
  useListener("click", ({ target: clicked }) => {
    const link = (clicked as Element | null)?.closest?.("a");
    if (link?.getAttribute("href")?.startsWith("#") === true) hasJumped.value = true;
  });
  useListener("popstate", () => (hasJumped.value = false));
  useListener("keydown", (event) => {
    if (!isShortcut(event)) return;
    const current = position(currentRow());
    if (event.key === "j") follow(prompts.find((prompt) => position(prompt.id) > current));
    if (event.key === "k") follow(prompts.findLast((prompt) => position(prompt.id) < current));
  });
  // The latest entry of a replay is shown above its controls.
  useEffect(() => {
    const last = keys.at(-1);
    if (replayed.value !== undefined && last !== undefined)
      control.current?.show(last, Math.max(BELOW_BAR_PX, innerHeight - ABOVE_REPLAY_PX));
  }, [replayed.value]);

  const onRange = (from: number, to: number): void => {
    items.loadRange(rows, from, to);
    if (searched.peek() !== "") requestAnimationFrame(() => highlight(searched.peek()));
  };
  return (
    <>
      <div class="session-bar inline centered line-below">
        <Find sessionId={id} search={(words) => (searched.value = words)} show={(item) => goTo(item, true)} />
        <PromptMenu prompts={prompts} />
        <Button
          label="Talk only"
          class="button quiet"
          title="Prompts and answers, without the tools"
          aria-pressed={talkOnly.value}
          onClick={() => (talkOnly.value = !talkOnly.value)}
        />
        {failures.length > 0 && (
          <Button
            icon="warning"
            label={count(failures.length, "failure")}
            class="button quiet"
            title="Go to the next failure"
            onClick={() => follow(failures.find(isAfterCurrent) ?? failures[0])}
          />
        )}
        <Button
          icon="play"
          label="Replay"
          class="button quiet"
          aria-pressed={replayed.value !== undefined}
          onClick={() => (replayed.value = replayed.value === undefined ? 1 : undefined)}
        />
      </div>
      {items.error.value !== undefined && (
        <ErrorBox error={items.error.value} retry={() => items.loadRange(entries, position(currentRow()), Infinity)} />
      )}
      <VirtualList
        label="The session"
        keys={keys}
        control={control}
        onRange={onRange}
        estimate={(row) => estimateHeight(rows[row] as Entry)}
        row={(row) => {
          const entry = rows[row] as Entry;
          const item = items.get(entry.id);
          const beside = notes.get(entry.id);
          const isFree = keys.slice(row + 1, row + 1 + FREE_ROWS).every((key) => !notes.has(key));
          const isNested = entry.agent !== "";
          return (
            <div
              class={`entry of-${entry.kind} ${isNested ? "is-nested" : ""} ${marked.value === entry.id ? "is-marked" : ""}`}
            >
              <div class={isNested ? "entry-body side-line" : "entry-body"}>
                {item === undefined ? (
                  <div class="waiting" style={{ height: `${estimateHeight(entry) - 8}px` }} />
                ) : (
                  <ItemRow item={item} turn={entry.turn} sessionId={id} open={open} />
                )}
              </div>
              {beside && <Notes notes={beside} open={open} mayOverhang={isFree && beside.length === 1} />}
            </div>
          );
        }}
      />
      {hasJumped.value && replayed.value === undefined && (
        <Button
          label="Back to where you were"
          class="button primary floating pill back"
          onClick={() => history.back()}
        />
      )}
      {replayed.value !== undefined && (
        <Replay
          entries={entries}
          show={(number) => (replayed.value = number)}
          close={() => (replayed.value = undefined)}
        />
      )}
    </>
  );
}

/** The item of a link; for an observation the item it is shown beside. */
function hostOf(hash: string, notes: ReadonlyMap<string | undefined, readonly Observation[]>): string {
  const host = [...notes].find(([, beside]) => beside.some(({ id }) => id === hash));
  return host?.[0] ?? hash;
}
