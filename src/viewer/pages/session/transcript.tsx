// The items of a session, the observations derived from them, and the bar with search and navigation.
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
import { groupByEntry, Notes, type Observation } from "./notes.tsx";
import { type Entry, estimateHeight, isWork, type Outline, visibleEntries } from "./outline.ts";
import { PromptMenu } from "./prompt-menu.tsx";
import { Replay } from "./replay.tsx";
import { ItemRow } from "./row.tsx";

/** After a jump to an item, the item is shown this far below the window's top, below the sticky bar. */
const BELOW_BAR_PX = 96;
/** The latest entry of a replay is shown this far above the window's bottom, above the replay's controls. */
const ABOVE_REPLAY_PX = 280;
const SAVE_PAUSE_MS = 200;
/** A note may extend beside the next rows if this many of them have no notes. */
const ROWS_BELOW_NOTE = 2;

/** A row, and the distance from the window's top to the row's top. Saved in the browser's history. */
interface RowPosition {
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
  /** The id of the item that the user jumped to. */
  const marked = useSignal("");
  const searched = useSignal("");
  const hasJumped = useSignal(false);
  const control = useRef<ListControl | undefined>(undefined);
  /** The list scrolls here as soon as the row exists. */
  const target = useRef<RowPosition | undefined>(undefined);

  const rows = useMemo(
    () => visibleEntries(outline, { open: open.value, until: replayed.value ?? Infinity, talkOnly: talkOnly.value }),
    [outline, open.value, replayed.value, talkOnly.value],
  );
  const keys = useMemo(() => rows.map((entry) => entry.id), [rows]);
  const notes = useMemo(() => groupByEntry(outline, observations), [outline, observations]);
  const prompts = useMemo(() => entries.filter(({ kind, agent }) => kind === "prompt" && agent === ""), [outline]);
  const failures = useMemo(() => entries.filter(({ isError }) => isError), [outline]);

  const showTarget = (): void => {
    const { current } = target;
    if (current !== undefined && control.current?.show(current.id, current.offsetPx) === true)
      target.current = undefined;
  };
  /** Shows an item, even if its subagent is folded or "Talk only" hides it. */
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
  const isAfterCurrent = ({ id: item }: Entry): boolean => indexOf(item) > indexOf(currentRow());
  const indexOf = (item: string | undefined): number => indexes.get(item ?? "") ?? 0;
  const currentRow = (): string | undefined => control.current?.rowAt(BELOW_BAR_PX + 1).key;
  const linkTo = (entry: Entry | undefined): void => {
    if (entry !== undefined) navigate(`#${entry.id}`, { replace: true });
  };

  useEffect(showTarget, [keys]);
  useEffect(() => items.refreshLast(entries), [outline]);
  // Returns to the saved position when the user goes back or reloads. For a new link, shows the link's item.
  useSignalEffect(() => {
    const { hash } = route.value;
    const { saved } = (history.state ?? {}) as { saved?: RowPosition };
    if (saved === undefined) goTo(itemOfLink(hash, notes));
    else {
      marked.value = hash;
      target.current = saved;
      showTarget();
    }
  });
  const savePosition = (): void => {
    const row = control.current?.rowAt(BELOW_BAR_PX);
    if (row?.key === undefined) return;
    const saved: RowPosition = { id: row.key, offsetPx: row.topPx };
    history.replaceState({ ...(history.state as object | null), saved }, "");
  };
  const saveTimer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(saveTimer.current), []);
  const saveSoon = (): void => {
    clearTimeout(saveTimer.current);
    saveTimer.current = setTimeout(savePosition, SAVE_PAUSE_MS);
  };
  useListener("scroll", saveSoon, { passive: true });
  useListener("pagehide", savePosition);
  // Saves the position before a link changes the address.
  useListener("click", savePosition, { capture: true });
  useListener("click", ({ target: clicked }) => {
    const link = (clicked as Element | null)?.closest?.("a");
    if (link?.getAttribute("href")?.startsWith("#") === true) hasJumped.value = true;
  });
  useListener("popstate", () => (hasJumped.value = false));
  useListener("keydown", (event) => {
    if (!isShortcut(event)) return;
    const current = indexOf(currentRow());
    if (event.key === "j") linkTo(prompts.find((prompt) => indexOf(prompt.id) > current));
    if (event.key === "k") linkTo(prompts.findLast((prompt) => indexOf(prompt.id) < current));
  });
  // Scrolls to the latest entry of a replay.
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
        <Find sessionId={id} onSearch={(words) => (searched.value = words)} show={(item) => goTo(item, true)} />
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
            onClick={() => linkTo(failures.find(isAfterCurrent) ?? failures[0])}
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
        <ErrorBox error={items.error.value} retry={() => items.loadRange(entries, indexOf(currentRow()), Infinity)} />
      )}
      <VirtualList
        label="The session"
        keys={keys}
        control={control}
        onRange={onRange}
        estimateHeight={(row) => estimateHeight(rows[row] as Entry)}
        row={(row) => {
          const entry = rows[row] as Entry;
          const item = items.get(entry.id);
          const entryNotes = notes.get(entry.id);
          const hasSpaceBelow = keys.slice(row + 1, row + 1 + ROWS_BELOW_NOTE).every((key) => !notes.has(key));
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
              {entryNotes && (
                <Notes notes={entryNotes} open={open} mayOverhang={hasSpaceBelow && entryNotes.length === 1} />
              )}
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

/** The id in a link. For an observation, the id of the item beside which the observation is shown. */
function itemOfLink(hash: string, notes: ReadonlyMap<string | undefined, readonly Observation[]>): string {
  const [entry] = [...notes].find(([, ofEntry]) => ofEntry.some(({ id }) => id === hash)) ?? [];
  return entry ?? hash;
}
