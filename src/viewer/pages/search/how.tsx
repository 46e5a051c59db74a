// How an answer was found, so that one knows what to make of it.
import type { Load } from "../../api.ts";
import { WithCode } from "../../components/code.tsx";
import { Icon } from "../../components/icon.tsx";
import { count } from "../../format.ts";
import type { Finding, SearchMeta } from "../../wire.ts";

/** As many as are asked for: there may be more. */
export const LIMIT = 30;

const RUNGS: Readonly<Record<string, string>> = {
  phrase: "as a phrase",
  words: "by words",
  prefix: "by beginnings of words",
  typo: "by words spelt alike",
  meaning: "by meaning alone",
};

export function How({ load }: { load: Load<{ results: Finding[] }, SearchMeta> }) {
  const { reply } = load;
  if (reply === undefined) return <p class="how" role="status" />;
  const { meta, data } = reply;
  const words = meta.rung === "typo" || meta.rung === "prefix" ? `: ${meta.words.slice(0, 6).join(", ")}` : "";
  return (
    <div class="how">
      <p role="status" class="num">
        {data.results.length < LIMIT ? count(data.results.length, "session") : `The ${LIMIT} best sessions`}{" "}
        {RUNGS[meta.rung] ?? meta.rung}
        {words} <span class="faint">in {meta.lanes.join(", ")}</span>
        <span class="faint"> · {meta.ms} ms</span>
      </p>
      {meta.degraded !== null && (
        <details>
          <summary>
            <Icon name="warning" />
            <span>{meta.degraded}</span>
          </summary>
          {meta.hint !== null && (
            <p>
              <WithCode text={meta.hint} />
            </p>
          )}
        </details>
      )}
    </div>
  );
}
