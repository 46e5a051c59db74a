// One observation with its evidence, its session, its versions, and what it replaced.
import type { observation } from "../../../queries/observations.ts";
import { type DataOf, useLoad } from "../../api.ts";
import { Code } from "../../components/code.tsx";
import { useTitle } from "../../components/hooks.ts";
import { Loaded, PageFrame } from "../../components/page.tsx";
import { Time, TypeBadge } from "../../components/text.tsx";
import { navigate, sessionPath } from "../../router.ts";
import type { PageProps } from "../../routes.ts";
import { ObservationActions, ObservationBadges, ObservationBody } from "./observation.tsx";

type Story = DataOf<typeof observation>;

export function DetailPage({ id }: PageProps) {
  const story = useLoad<typeof observation>(() => `/api/observations/${encodeURIComponent(id)}`);
  useTitle(story.load.value.reply?.data.title);
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
    text: "It was forgotten, or derived again with another id. See [all observations](/memory).",
  } as const;
  return (
    <PageFrame class="narrow" crumbs={crumbs}>
      <Loaded from={story} empty={empty}>
        {({ data }) => <Article story={data} changed={story.reload} />}
      </Loaded>
    </PageFrame>
  );
}

function Article({ story, changed }: { story: Story; changed: () => void }) {
  const { session, agent, evidence } = story;
  return (
    <article class="story stack">
      <h1>{story.title}</h1>
      <p class="meta">
        <TypeBadge type={story.type} />
        <span>{story.project ?? "all projects"}</span>
        <span>
          since <Time at={story.valid_from} />
          {story.valid_to !== null && [" until ", <Time key="to" at={story.valid_to} />]}
        </span>
        <span>by {story.producer === "extractor" ? "the built-in extractor" : story.producer}</span>
        <ObservationBadges observation={story} />
      </p>
      <ObservationBody observation={story} lastEvidence={evidence.at(-1)?.id} />
      <ObservationActions observation={story} changed={changed} forgotten={() => navigate("/memory")} />
      {session !== null && (
        <p>
          Learned in <a href={sessionPath(session.session_id)}>{session.title ?? "(untitled)"}</a>
          {agent !== null && ` with ${agent}`}.
        </p>
      )}
      <Related title="Replaces" items={story.replaces} />
      <Related title="Replaced by" items={story.replaced_by === null ? [] : [story.replaced_by]} />
      <Related title="Versions" items={story.versions.length > 1 ? story.versions : []} />
      <section>
        <h2>Evidence</h2>
        {evidence.length === 0 && <p class="muted">None. It was added by hand.</p>}
        <ol class="evidence-list stack">
          {evidence.map((piece) => (
            <EvidenceItem key={piece.id} piece={piece} session={story.session_id} />
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
  items: readonly (Story["replaces"][number] & { is_current?: boolean })[];
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

function EvidenceItem({ piece, session }: { piece: Story["evidence"][number]; session: string | null }) {
  if (piece.kind === "gone") return <li class="muted">{piece.id} no longer exists.</li>;
  return (
    <li>
      <p class="meta">
        <span>{piece.kind === "tool" ? `${piece.name}: ${piece.subject}` : SPEAKERS[piece.kind]}</span>
        {piece.kind === "tool" && <span class={piece.is_error ? "is-bad" : ""}>{piece.outcome}</span>}
        <Time at={piece.at} />
        {session !== null && <a href={sessionPath(session, piece.id)}>See in session</a>}
      </p>
      {piece.kind === "tool" ? (
        piece.output !== "" && <Code text={piece.output} isError={piece.is_error} />
      ) : (
        <Code text={piece.text} />
      )}
    </li>
  );
}
