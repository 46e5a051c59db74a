// What is captured and learned while one looks, turn by turn, across all projects. What one reads does not move.
import { useComputed, useSignal, useSignalEffect } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { useLoad } from "../../api.ts";
import { Empty } from "../../components/empty.tsx";
import { Icon } from "../../components/icon.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { now } from "../../components/time.tsx";
import { dayName, localDay } from "../../format.ts";
import { missed } from "../../stream.ts";
import type { Observation, TimelineTurn } from "../../wire.ts";
import { turnKey, useNews } from "./activity.ts";
import { showAll, type Shown, split } from "./held-back.ts";
import { State } from "./state.tsx";
import { TurnCard } from "./turn-card.tsx";
import "./now.css";

const TURNS = 40;
/** Further down than this one reads; above it one looks at what comes. */
const TOP_PX = 80;

export function Now() {
  const turns = useLoad<{ results: TimelineTurn[] }>(() => `/api/timeline?depth=${TURNS}`);
  const learned = useLoad<{ results: Observation[] }>(() => "/api/observations?limit=100");
  const round = useSignal(0);
  const shown = useSignal<Shown | undefined>(undefined);
  const all = useComputed(() => newestFirst(turns.load.value.reply?.data.results ?? []));
  const parts = useComputed(() => split(all.value, shown.value));
  const byTurn = useComputed(() =>
    Map.groupBy(learned.load.value.reply?.data.results ?? [], (each) =>
      turnKey(each.session_id ?? "", each.prompt_number ?? 0),
    ),
  );
  const reload = (): void => {
    turns.reload();
    learned.reload();
    round.value = round.peek() + 1;
  };
  const letIn = (): void => {
    if (all.peek().length > 0) shown.value = showAll(all.peek(), shown.peek());
  };

  useNews(reload);
  useSignalEffect(() => {
    if (missed.value > 0) reload();
  });
  useSignalEffect(() => {
    if (all.value.length > 0 && (shown.peek() === undefined || !isReading())) letIn();
  });
  useEffect(() => {
    const onScroll = (): void => {
      if (parts.peek().waiting > 0 && scrollY <= 2) letIn();
    };
    addEventListener("scroll", onScroll, { passive: true });
    return () => removeEventListener("scroll", onScroll);
  }, []);

  return (
    <div class="page now">
      <header class="page-head">
        <h1>Now</h1>
        <p>What is captured and learned, as it happens</p>
      </header>
      <div class="now-columns">
        <div class="feed">
          <div class="pill-place" role="status">
            {parts.value.waiting > 0 && (
              <button
                class="pill"
                onClick={() => {
                  letIn();
                  scrollTo({ top: 0, behavior: "smooth" });
                }}
              >
                <Icon name="up" />
                {parts.value.waiting} new
              </button>
            )}
          </div>
          <Loaded from={turns} empty={<Nothing />} isEmpty={({ results }) => results.length === 0}>
            {() => [
              ...[...byDay(parts.value.visible)].map(([day, list]) => (
                <section key={day} class="day">
                  <h2>{dayName(Date.parse(list[0]?.at ?? ""), now.value)}</h2>
                  <ol>
                    {list.map((turn) => (
                      <TurnCard
                        key={turn.id}
                        turn={turn}
                        learned={byTurn.value.get(turnKey(turn.session_id, turn.turn)) ?? []}
                        isFresh={shown.value?.fresh.has(turn.id) === true}
                      />
                    ))}
                  </ol>
                </section>
              )),
              <p key="earlier" class="earlier">
                <a href="/sessions">Earlier sessions</a>
              </p>,
            ]}
          </Loaded>
        </div>
        <State round={round} />
      </div>
    </div>
  );
}

/** Somebody who has scrolled, or has marked words, is not to be disturbed. */
function isReading(): boolean {
  return scrollY > TOP_PX || getSelection()?.isCollapsed === false;
}

function Nothing() {
  return (
    <Empty title="Nothing has happened yet">
      <p>
        As soon as an agent works, its turns appear here. <code>c-mem install</code> connects your agents;{" "}
        <code>c-mem sync</code> brings in the sessions you had before.
      </p>
    </Empty>
  );
}

function newestFirst(turns: readonly TimelineTurn[]): TimelineTurn[] {
  return turns.toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at));
}

function byDay(turns: readonly TimelineTurn[]): Map<string, TimelineTurn[]> {
  return Map.groupBy(turns, ({ at }) => localDay(Date.parse(at)));
}
