// Activity, disk usage, how much injected context was used, and model costs.
import type { impact } from "../../../queries/impact.ts";
import type { stats } from "../../../queries/stats.ts";
import { type DataOf, useLoad } from "../../api.ts";
import { BarChart, ColumnChart } from "../../components/bars.tsx";
import { FilterBar, scopeQuery } from "../../components/filters.tsx";
import { Loaded, PageFrame } from "../../components/page.tsx";
import { Paragraph } from "../../components/text.tsx";
import { bytes, count, withCommas } from "../../format.ts";
import { withQuery } from "../../router.ts";
import { activityByDay, growthByDay } from "./activity.ts";
import { ModelCosts } from "./model-costs.tsx";

type Stats = DataOf<typeof stats>;

const MAX_ROWS = 8;

export function Page() {
  const activity = useLoad<typeof stats>(() => withQuery("/api/stats", scopeQuery()));
  const empty = { title: "No activity", text: "Change the filters, or run `c-mem sync` to import earlier sessions." };
  return (
    <PageFrame title="Insight">
      <FilterBar />
      <Loaded from={activity} empty={empty} isEmpty={({ totals }) => totals.sessions === 0}>
        {({ data }) => <Activity stats={data} />}
      </Loaded>
      <div class="stack loose">
        <InjectionUsage />
        <ModelCosts />
      </div>
    </PageFrame>
  );
}

function Activity({
  stats: { totals, by_day: days, by_project: projects, by_tool: tools, ...sizes },
}: {
  stats: Stats;
}) {
  return (
    <>
      <dl class="figures tiles">
        <Figure name="Sessions" value={totals.sessions} />
        <Figure name="Prompts" value={totals.prompts} />
        <Figure name="Tool uses" value={totals.tool_uses} note={`${withCommas(totals.failed_tool_uses)} failed`} />
        <Figure name="Files changed" value={totals.files_changed} />
        <Figure name="Commits" value={totals.commits} />
        <Figure name="Lines added" value={totals.lines_added} note={`${withCommas(totals.lines_removed)} removed`} />
      </dl>
      <ColumnChart title="Prompts per day" {...activityByDay(days)} />
      <div class="tiles">
        <section>
          <h2>By project</h2>
          <BarChart
            rows={projects.slice(0, MAX_ROWS).map(({ name, key, sessions, prompts }) => ({
              key,
              name: <a href={withQuery("/sessions", { project: key })}>{name}</a>,
              value: sessions,
              text: `${count(sessions, "session")}, ${count(prompts, "prompt")}`,
            }))}
          />
        </section>
        <section>
          <h2>By tool</h2>
          <BarChart
            rows={tools.slice(0, MAX_ROWS).map(({ name, uses, failure_rate: rate }) => ({
              key: name,
              name,
              value: uses,
              text: `${withCommas(uses)}, ${(100 * rate).toFixed(1)} % failed`,
            }))}
          />
        </section>
      </div>
      <DiskUsage columns={growthByDay(days)} sessions={totals.sessions} {...sizes} />
    </>
  );
}

type DiskUsageProps = Pick<Stats, "database" | "archive" | "backups" | "models"> & {
  columns: ReturnType<typeof growthByDay>;
  sessions: number;
};

/** The chart shows the sessions that match the filters. The sizes of files are for all projects. */
function DiskUsage({ columns, sessions, database, archive, backups, models }: DiskUsageProps) {
  const recorded = columns.at(-1)?.parts[0] ?? 0;
  const text =
    `${bytes(recorded)} recorded in these sessions, ${bytes(recorded / Math.max(1, sessions))} per session. All ` +
    `projects, with indexes and memory: ${bytes(database.bytes)} in the database, ${bytes(backups.bytes)} in ` +
    `${count(backups.files, "backup")}, ${bytes(archive.bytes)} in ${count(archive.files, "archived transcript")}, ` +
    `${bytes(models.bytes)} in semantic search models. Run \`c-mem stats --size\` for details.`;
  return (
    <section>
      <h2>Disk usage</h2>
      <ColumnChart title="Recorded so far" series={["recorded"]} columns={columns} format={bytes} />
      <Paragraph class="num" text={text} />
    </section>
  );
}

function Figure({ name, value, note }: { name: string; value: number; note?: string }) {
  return (
    <div>
      <dt class="small">{name}</dt>
      <dd class="num">
        {withCommas(value)}
        <small class="tiny faint">{note}</small>
      </dd>
    </div>
  );
}

function InjectionUsage() {
  const usage = useLoad<typeof impact>(() => withQuery("/api/impact", scopeQuery()));
  return (
    <section>
      <h2>Injected context that was used</h2>
      <Loaded from={usage} isEmpty={({ surfaces }) => surfaces.length === 0} empty="Nothing was injected yet.">
        {({ data }) => (
          <BarChart
            rows={data.surfaces.map(({ surface, injections, used, tokens }) => ({
              key: surface,
              name: surface,
              value: injections,
              text:
                `${withCommas(used)} of ${withCommas(injections)} used ` +
                `(${Math.round((100 * used) / Math.max(1, injections))} %), ${count(tokens, "token")}`,
            }))}
          />
        )}
      </Loaded>
    </section>
  );
}
