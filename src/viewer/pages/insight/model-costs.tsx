// What writing the memory cost, if a model writes it: by day, model, kind of request and project.
import { requestKindLabel } from "../../../llm/request-kinds.ts";
import type { cost } from "../../../queries/cost.ts";
import { type DataOf, useLoad } from "../../api.ts";
import { ColumnChart } from "../../components/bars.tsx";
import { scopeQuery } from "../../components/filters.tsx";
import { Loaded } from "../../components/page.tsx";
import { count, withCommas } from "../../format.ts";
import { withQuery } from "../../router.ts";

type Row = DataOf<typeof cost>["total"];

const DAYS = 30;
const MAX_ROWS = 14;

export function ModelCosts() {
  const costs = useLoad<typeof cost>(() => withQuery("/api/cost", { project: scopeQuery()["project"], days: DAYS }));
  const empty = `No model wrote memory in the last ${DAYS} days. Choose who writes it in the [settings](/settings).`;
  return (
    <section>
      <h2>What writing the memory cost, last {DAYS} days</h2>
      <Loaded from={costs} isEmpty={({ total }) => total.requests + total.declined === 0} empty={empty}>
        {({ data }) => (
          <div class="stack loose">
            <p class="num">{totalText(data.total)}</p>
            <ColumnChart
              title="Tokens per day"
              series={["in", "out"]}
              columns={data.by_day
                .toReversed()
                .map(({ name, input_tokens: i, output_tokens: o }) => ({ label: name, parts: [i, o] }))}
            />
            <CostTable title="By day" rows={data.by_day} />
            <CostTable title="By model" rows={data.by_model} />
            <CostTable
              title="By kind of request"
              rows={data.by_kind.map((row) => ({ ...row, name: requestKindLabel(row.name) }))}
            />
            <CostTable title="By project" rows={data.by_project} />
          </div>
        )}
      </Loaded>
    </section>
  );
}

function totalText(total: Row): string {
  const { failed, declined, unpriced, cache_read_tokens: cached } = total;
  const notes = [
    failed > 0 && `${count(failed, "request")} failed`,
    declined > 0 && `${withCommas(declined)} not sent: over the daily limit`,
    unpriced > 0 && `${count(unpriced, "request")} of unknown price not included in the cost`,
  ].filter((note) => note !== false);
  const input = `${count(total.input_tokens, "token")} in${cached > 0 ? ` (${withCommas(cached)} of them cached)` : ""}`;
  const sum = `${usd(total.cost_usd)} for ${count(total.requests, "request")}, ${input} and ${withCommas(total.output_tokens)} out`;
  return `${[sum, ...notes].join("; ")}.`;
}

function CostTable({ title, rows }: { title: string; rows: readonly Row[] }) {
  const isCached = rows.some((row) => row.cache_read_tokens > 0);
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label={title}>
      <table class="table num small">
        <thead>
          <tr>
            <th scope="col">{title}</th>
            <th scope="col">requests</th>
            <th scope="col">tokens in</th>
            {isCached && <th scope="col">of them cached</th>}
            <th scope="col">tokens out</th>
            <th scope="col">cost</th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, MAX_ROWS).map((row) => (
            <tr key={row.name}>
              <th scope="row">{row.name}</th>
              <td>{withCommas(row.requests)}</td>
              <td>{withCommas(row.input_tokens)}</td>
              {isCached && <td>{withCommas(row.cache_read_tokens)}</td>}
              <td>{withCommas(row.output_tokens)}</td>
              <td>{row.unpriced === row.requests && row.requests > 0 ? "unknown" : usd(row.cost_usd)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Small models cost fractions of a cent. */
function usd(dollars: number): string {
  return `$${dollars > 0 && dollars < 0.01 ? dollars.toFixed(4) : dollars.toFixed(2)}`;
}
