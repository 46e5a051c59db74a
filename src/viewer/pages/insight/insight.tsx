// How much is done, what memory costs, whether it is used, how much room it takes.
import { useLoad } from "../../api.ts";
import { Columns, Rows } from "../../components/bars.tsx";
import { Empty } from "../../components/empty.tsx";
import { FilterBar } from "../../components/filter-bar.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { scopeQuery, useScopeFilters } from "../../components/scope-filters.ts";
import { bytes, count, withCommas } from "../../format.ts";
import { withQuery } from "../../router.ts";
import type { Cost, Impact, Stats } from "../../wire.ts";
import { activityByDay, growthByDay } from "./activity.ts";
import "./insight.css";

export function Insight() {
  const filters = useScopeFilters();
  const stats = useLoad<Stats>(() => withQuery("/api/stats", scopeQuery()));
  return (
    <div class="page">
      <header class="page-head">
        <h1>Insight</h1>
      </header>
      <FilterBar filters={filters.value} />
      <Loaded from={stats} empty={<NothingYet />} isEmpty={(data) => data.totals.sessions === 0}>
        {({ data }) => <Activity stats={data} />}
      </Loaded>
      <div class="insight-columns">
        <Used />
        <Spent />
      </div>
    </div>
  );
}

const NAMED = 8;

function Activity({ stats }: { stats: Stats }) {
  const { totals } = stats;
  const { series, columns } = activityByDay(stats.by_day);
  return (
    <>
      <dl class="figures">
        <Figure name="Sessions" value={totals.sessions} />
        <Figure name="Prompts" value={totals.prompts} />
        <Figure name="Tool uses" value={totals.tool_uses} note={`${withCommas(totals.failed_tool_uses)} failed`} />
        <Figure name="Files changed" value={totals.files_changed} />
        <Figure name="Commits" value={totals.commits} />
        <Figure name="Lines added" value={totals.lines_added} note={`${withCommas(totals.lines_removed)} removed`} />
      </dl>
      <section class="card chart-card">
        <Columns title="Prompts a day" series={series} columns={columns} />
      </section>
      <div class="insight-columns">
        <section>
          <h2>By project</h2>
          <Rows
            rows={stats.by_project.slice(0, NAMED).map(({ name, key, sessions, prompts }) => ({
              key,
              name: <a href={`/sessions?project=${encodeURIComponent(key)}`}>{name}</a>,
              value: sessions,
              text: `${count(sessions, "session")}, ${count(prompts, "prompt")}`,
            }))}
          />
        </section>
        <section>
          <h2>By tool</h2>
          <Rows
            rows={stats.by_tool.slice(0, NAMED).map(({ name, uses, failure_rate: rate }) => ({
              key: name,
              name,
              value: uses,
              text: `${withCommas(uses)}, ${(100 * rate).toFixed(1)} % failed`,
            }))}
          />
        </section>
      </div>
      <Room stats={stats} />
    </>
  );
}

/** What was recorded of what is chosen; the files hold that of every project. */
function Room({ stats }: { stats: Stats }) {
  const { totals, by_day: days, database, archive, backups, models } = stats;
  const growth = growthByDay(days);
  const recorded = growth.at(-1)?.parts[0] ?? 0;
  return (
    <section>
      <h2>Room on disk</h2>
      <div class="card chart-card">
        <Columns title="Recorded so far" series={["recorded"]} columns={growth} say={bytes} />
      </div>
      <p class="num">
        {bytes(recorded)} recorded here, {bytes(recorded / Math.max(1, totals.sessions))} a session. For all projects,
        with indexes and memory: {bytes(database.bytes)} in the database, {bytes(backups.bytes)} in{" "}
        {count(backups.files, "backup")}, {bytes(archive.bytes)} in {count(archive.files, "archived transcript")},{" "}
        {bytes(models.bytes)} in models for search by meaning. <code>c-mem stats --size</code> says what takes it.
      </p>
    </section>
  );
}

function Figure({ name, value, note }: { name: string; value: number; note?: string }) {
  return (
    <div class="figure">
      <dt>{name}</dt>
      <dd class="num">
        {withCommas(value)}
        {note !== undefined && <small>{note}</small>}
      </dd>
    </div>
  );
}

/** Of what was shown to agents, how much they then used. */
function Used() {
  const impact = useLoad<Impact>(() => withQuery("/api/impact", scopeQuery()));
  return (
    <section>
      <h2>What memory was used for</h2>
      <Loaded
        from={impact}
        isEmpty={(data) => data.surfaces.length === 0}
        empty={<p class="muted">Nothing was shown to an agent yet.</p>}
      >
        {({ data }) => (
          <table class="table">
            <thead>
              <tr>
                <th scope="col">When</th>
                <th scope="col">Shown</th>
                <th scope="col">Used</th>
                <th scope="col">Tokens</th>
              </tr>
            </thead>
            <tbody>
              {data.surfaces.map(({ surface, injections, used, tokens }) => (
                <tr key={surface}>
                  <th scope="row">{surface}</th>
                  <td class="num">{withCommas(injections)}</td>
                  <td class="num">
                    {withCommas(used)} ({Math.round((100 * used) / Math.max(1, injections))} %)
                  </td>
                  <td class="num">{withCommas(tokens)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </Loaded>
    </section>
  );
}

function Spent() {
  const cost = useLoad<Cost>(() => withQuery("/api/cost", { project: scopeQuery()["project"], days: 30 }));
  return (
    <section>
      <h2>What C-Mem spent on models, last 30 days</h2>
      <Loaded
        from={cost}
        isEmpty={(data) => data.total.requests === 0}
        empty={
          <p class="muted">
            Nothing: no model is in use. <a href="/settings">Settings</a> say how to choose one.
          </p>
        }
      >
        {({ data }) => (
          <>
            <p class="num">
              ${data.total.cost_usd.toFixed(2)} for {count(data.total.requests, "request")},{" "}
              {withCommas(data.total.input_tokens)} tokens in and {withCommas(data.total.output_tokens)} out.
            </p>
            <Columns
              title="Tokens a day"
              series={["tokens"]}
              columns={data.by_day
                .toReversed()
                .map(({ name, input_tokens: i, output_tokens: o }) => ({ label: name, parts: [i + o] }))}
            />
            <Rows
              rows={data.by_model.slice(0, NAMED).map(({ name, cost_usd: usd }) => ({
                key: name,
                name,
                value: usd,
                text: `$${usd.toFixed(2)}`,
              }))}
            />
          </>
        )}
      </Loaded>
    </section>
  );
}

function NothingYet() {
  return (
    <Empty title="Nothing has happened here yet">
      <p>
        <code>c-mem sync</code> brings in earlier sessions; other filters may show more.
      </p>
    </Empty>
  );
}
