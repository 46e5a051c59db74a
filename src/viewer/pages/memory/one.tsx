// One observation with all that belongs to it: evidence, where it was learned, what replaced what, its other versions.
import { useLoad } from "../../api.ts";
import { TypeBadge } from "../../components/badge.tsx";
import { Code } from "../../components/code.tsx";
import { Empty } from "../../components/empty.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Time } from "../../components/time.tsx";
import { navigate } from "../../router.ts";
import { useTitle } from "../../title.ts";
import type { Evidence, Named, Story } from "../../wire.ts";
import { Actions } from "./actions.tsx";
import { Body } from "./body.tsx";
import { Marks } from "./line.tsx";
import "./memory.css";

export function OneObservation({ id }: { id: string }) {
  const story = useLoad<Story>(() => `/api/observations/${encodeURIComponent(id)}`);
  const title = story.load.value.reply?.data.title;
  useTitle(title);
  return (
    <div class="page narrow">
      <p class="crumbs">
        <a href="/memory">Memory</a>
        <span aria-hidden="true">/</span>
        <span>{id}</span>
      </p>
      <Loaded from={story} empty={<Gone id={id} />} isEmpty={() => false}>
        {({ data }) => <Told story={data} changed={story.reload} />}
      </Loaded>
    </div>
  );
}

function Told({ story, changed }: { story: Story; changed: () => void }) {
  return (
    <article class="story">
      <h1>{story.title}</h1>
      <ul class="facts">
        <li>
          <TypeBadge type={story.type} />
        </li>
        <li>{story.project ?? "every project"}</li>
        <li>
          since <Time at={story.valid_from} />
          {story.valid_to !== null && (
            <>
              {" until "}
              <Time at={story.valid_to} />
            </>
          )}
        </li>
        <li>by {story.producer === "extractor" ? "the extractor, from evidence" : story.producer}</li>
        <li>
          <Marks observation={story} />
        </li>
      </ul>
      <Body observation={story} at={story.evidence.at(-1)?.id} />
      <Actions observation={story} changed={changed} forgotten={() => navigate("/memory")} />
      {story.session !== null && (
        <p>
          Learned in{" "}
          <a href={`/sessions/${encodeURIComponent(story.session.session_id)}`}>
            {story.session.title ?? "(untitled)"}
          </a>
          {story.agent !== null && ` with ${story.agent}`}.
        </p>
      )}
      <Chain title="It replaced" items={story.replaces} />
      {story.replaced_by !== null && <Chain title="Replaced by" items={[story.replaced_by]} />}
      {story.versions.length > 1 && <Chain title="Its versions" items={story.versions} />}
      <section>
        <h2>What it rests on</h2>
        {story.evidence.length === 0 && <p class="muted">Nothing: somebody wrote it down.</p>}
        <ol class="evidence-list">
          {story.evidence.map((piece) => (
            <Piece key={piece.id} piece={piece} session={story.session_id} />
          ))}
        </ol>
      </section>
    </article>
  );
}

function Chain({ title, items }: { title: string; items: readonly (Named & { is_current?: boolean })[] }) {
  if (items.length === 0) return null;
  return (
    <section>
      <h2>{title}</h2>
      <ul>
        {items.map((item) => (
          <li key={item.id}>
            <a href={`/memory/${item.id}`}>{item.title}</a>{" "}
            <span class="muted">
              ({item.producer}
              {item.is_current === true ? ", in use" : ""})
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Piece({ piece, session }: { piece: Evidence; session: string | null }) {
  if (piece.kind === "gone") return <li class="muted">{piece.id} is no longer there.</li>;
  return (
    <li>
      <p class="evidence-head">
        <span>{piece.kind === "tool" ? `${piece.name}: ${piece.subject}` : WHO[piece.kind]}</span>
        {piece.kind === "tool" && <span class={piece.is_error ? "is-bad" : "muted"}>{piece.outcome}</span>}
        <Time at={piece.at} />
        {session !== null && <a href={`/sessions/${encodeURIComponent(session)}#${piece.id}`}>See it there</a>}
      </p>
      {piece.kind === "tool" ? (
        piece.output !== "" && <Code text={piece.output} isError={piece.is_error} />
      ) : (
        <Code text={piece.text} />
      )}
    </li>
  );
}

const WHO = { prompt: "The user asked", message: "The assistant said" } as const;

function Gone({ id }: { id: string }) {
  return (
    <Empty title={`There is no observation ${id}`} heading="h1">
      <p>
        It was forgotten, or derived anew under another id. <a href="/memory">See what is known</a>.
      </p>
    </Empty>
  );
}
