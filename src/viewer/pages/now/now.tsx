// The latest turns of all projects, updated live. New turns are held back while the user reads.
import { useComputed, useSignal, useSignalEffect } from "@preact/signals";
import type { observations } from "../../../queries/observations.ts";
import type { timeline } from "../../../queries/timeline.ts";
import { useLoad } from "../../api.ts";
import { Button } from "../../components/controls.tsx";
import { useListener } from "../../components/hooks.ts";
import { Loaded, PageFrame } from "../../components/page.tsx";
import { RowsByDay } from "../../components/text.tsx";
import { useLive } from "../../stream.ts";
import { showAll, type Shown, split } from "./feed.ts";
import { Status } from "./status.tsx";
import { TurnCard, turnKey, useToolCounts } from "./turn-card.tsx";

/** The user counts as reading when the page is scrolled further than this. */
const TOP_PX = 80;

export function Page() {
  const turns = useLoad<typeof timeline>(() => "/api/timeline?depth=40");
  const learned = useLoad<typeof observations>(() => "/api/observations?limit=100");
  const shown = useSignal<Shown | undefined>(undefined);
  const all = useComputed(() =>
    (turns.load.value.reply?.data.results ?? []).toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at)),
  );
  const parts = useComputed(() => split(all.value, shown.value));
  const byTurn = useComputed(() =>
    Map.groupBy(learned.load.value.reply?.data.results ?? [], (each) => turnKey(each.session_id, each.prompt_number)),
  );
  const showNew = (): void => {
    if (all.peek().length > 0) shown.value = showAll(all.peek(), shown.peek());
  };

  useToolCounts();
  useLive(
    () => {
      turns.reload();
      learned.reload();
    },
    ({ kind }) => kind !== "processing_status",
  );
  useSignalEffect(() => {
    if (all.value.length > 0 && (shown.peek() === undefined || !isReading())) showNew();
  });
  useListener("scroll", () => parts.peek().waiting > 0 && scrollY <= 2 && showNew(), { passive: true });

  const empty = {
    title: "No sessions yet",
    text: "Turns appear here as agents work. Run `c-mem install` to connect agents, `c-mem sync` to import sessions.",
  };
  return (
    <PageFrame title="Now" about="What is recorded and learned, live">
      <div class="columns now-columns">
        <div>
          <div class="pill-place" role="status">
            {parts.value.waiting > 0 && (
              <Button
                icon="up"
                label={`${parts.value.waiting} new`}
                class="button primary floating pill"
                onClick={() => {
                  showNew();
                  scrollTo({ top: 0, behavior: "smooth" });
                }}
              />
            )}
          </div>
          <Loaded from={turns} empty={empty}>
            {() => (
              <>
                <RowsByDay rows={parts.value.visible} timeOf={({ at }) => at}>
                  {(turn) => (
                    <TurnCard
                      key={turn.id}
                      turn={turn}
                      learned={byTurn.value.get(turnKey(turn.session_id, turn.turn)) ?? []}
                      isFresh={shown.value?.fresh.has(turn.id) === true}
                    />
                  )}
                </RowsByDay>
                <p class="show-more">
                  <a href="/sessions">Earlier sessions</a>
                </p>
              </>
            )}
          </Loaded>
        </div>
        <Status />
      </div>
    </PageFrame>
  );
}

/** Whether the user has scrolled down or selected text. */
function isReading(): boolean {
  return scrollY > TOP_PX || getSelection()?.isCollapsed === false;
}
