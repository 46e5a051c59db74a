// What an observation says, and where it leads: its files, its concepts, the session it was learned in.
import type { ComponentChildren } from "preact";
import type { AnyObservation } from "../../wire.ts";

/** `at`: the last thing it rests on. `children`: where else it leads. */
export function Body({
  observation,
  at,
  children,
}: {
  observation: AnyObservation;
  at: string | undefined;
  children?: ComponentChildren;
}) {
  const { narrative, facts, files, concepts, standing, superseded_by: successor, session_id: session } = observation;
  return (
    <>
      {narrative !== "" && <p class="narrative">{narrative}</p>}
      {facts.length > 0 && (
        <ul class="fact-list">
          {facts.map((fact, index) => (
            <li key={index}>{fact}</li>
          ))}
        </ul>
      )}
      {standing !== undefined && standing !== null && standing.note !== "" && (
        <p class="standing">By today's files: {standing.note}</p>
      )}
      {successor !== null && (
        <p>
          Replaced by <a href={`/memory/${successor.id}`}>{successor.title ?? successor.id}</a>
        </p>
      )}
      <p class="leads">
        {files.map((file) => (
          <a key={file} href={`/files?path=${encodeURIComponent(file)}`}>
            <code>{file}</code>
          </a>
        ))}
        {concepts.map((concept) => (
          <a key={concept} href={`/memory?concept=${encodeURIComponent(concept)}`}>
            {concept}
          </a>
        ))}
        {session !== null && (
          <a href={`/sessions/${encodeURIComponent(session)}${at === undefined ? "" : `#${at}`}`}>
            Where it was learned
          </a>
        )}
        {children}
      </p>
    </>
  );
}
