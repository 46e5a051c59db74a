// One observation with its evidence, its session, its versions and the observations that it replaced.
import type { observation } from "../../../queries/observations.ts";
import { type DataOf, useLoad } from "../../api.ts";
import { Code } from "../../components/code.tsx";
import { useTitle } from "../../components/hooks.ts";
import { Loaded, PageFrame } from "../../components/page.tsx";
import { Time, TypeBadge } from "../../components/text.tsx";
import { navigate, sessionPath } from "../../router.ts";
import type { PageProps } from "../../routes.ts";
import { ObservationActions, ObservationBadges, ObservationBody } from "./observation.tsx";

type ObservationDetail = DataOf<typeof observation>;

export function DetailPage({ id }: PageProps) {
  const detail = useLoad<typeof observation>(() => `/api/observations/${encodeURIComponent(id)}`);
  useTitle(detail.load.value.reply?.data.title);
  const crumbs = (
    <>
      <a href="/memory">Memory</a>
      <span aria-hidden="true">/</span>
      <span>{id}</span>
    </>
  );
  const empty = {
    title: `Observation ${id} not found`,
    heading: "h1",
    text: "It may have been deleted, or derived again with another id. See [all observations](/memory).",
  } as const;
  return (
    <PageFrame class="narrow" crumbs={crumbs}>
      <Loaded from={detail} empty={empty}>
        {({ data }) => <Article detail={data} changed={detail.reload} />}
      </Loaded>
    </PageFrame>
  );
}

function Article({ detail, changed }: { detail: ObservationDetail; changed: () => void }) {
  const { session, agent, evidence } = detail;
  return (
    <article class="story stack">
      <h1>{detail.title}</h1>
      <p class="meta">
        <TypeBadge type={detail.type} />
        <span>{detail.project ?? "all projects"}</span>
        <span>
          since <Time at={detail.valid_from} />
          {detail.valid_to !== null && [" until ", <Time key="to" at={detail.valid_to} />]}
        </span>
        <span>by {authorOf(detail)}</span>
        <ObservationBadges observation={detail} />
      </p>
      <ObservationBody observation={detail} lastEvidence={evidence.at(-1)?.id} />
      <ObservationActions observation={detail} changed={changed} forgotten={() => navigate("/memory")} />
      {session !== null && (
        <p>
          Learned in <a href={sessionPath(session.session_id)}>{session.title ?? "(untitled)"}</a>
          {agent !== null && ` with ${agent}`}.
        </p>
      )}
      <Related title="Replaces" items={detail.replaces} />
      <Related title="Replaced by" items={detail.replaced_by === null ? [] : [detail.replaced_by]} />
      <Related title="Versions" items={detail.versions.length > 1 ? detail.versions : []} />
      <section>
        <h2>Evidence</h2>
        {evidence.length === 0 && <p class="muted">None: the observation was written or imported.</p>}
        <ol class="evidence-list stack">
          {evidence.map((item) => (
            <EvidenceItem key={item.id} item={item} session={detail.session_id} />
          ))}
        </ol>
      </section>
    </article>
  );
}

function Related({
  title,
  items,
}: {
  title: string;
  items: readonly (ObservationDetail["replaces"][number] & { is_current?: boolean })[];
}) {
  if (items.length === 0) return null;
  return (
    <section>
      <h2>{title}</h2>
      <ul>
        {items.map(({ id, title: name, producer, is_current: isCurrent }) => (
          <li key={id}>
            <a href={`/memory/${id}`}>{name}</a>{" "}
            <span class="muted">
              ({producer}
              {isCurrent === true && ", current"})
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

const SPEAKERS = { prompt: "User", message: "Assistant" } as const;

function EvidenceItem({ item, session }: { item: ObservationDetail["evidence"][number]; session: string | null }) {
  if (item.kind === "gone") return <li class="muted">{item.id} no longer exists.</li>;
  return (
    <li>
      <p class="meta">
        <span>{item.kind === "tool" ? `${item.name}: ${item.subject}` : SPEAKERS[item.kind]}</span>
        {item.kind === "tool" && <span class={item.is_error ? "is-bad" : ""}>{item.outcome}</span>}
        <Time at={item.at} />
        {session !== null && <a href={sessionPath(session, item.id)}>See in session</a>}
      </p>
      {item.kind === "tool" ? (
        item.output !== "" && <Code text={item.output} isError={item.is_error} />
      ) : (
        <Code text={item.text} />
      )}
    </li>
  );
}

function authorOf({ producer, origin }: ObservationDetail): string {
  if (producer === "extractor") return "the built-in extractor";
  if (producer === "agent") return "the agent";
  return producer === "user" && origin !== "user" ? "the agent, for the user" : producer;
}
