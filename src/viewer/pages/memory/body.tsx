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
  const { narrative, facts, concepts, standing, superseded_by: successor, session_id: session } = observation;
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
        {fileGroups(observation).map(([label, files]) => (
          <span key={label} class="file-group">
            {label !== "" && <span class="muted">{label}</span>}
            {files.map((file) => (
              <a key={file} href={`/files?path=${encodeURIComponent(file)}`}>
                <code>{file}</code>
              </a>
            ))}
          </span>
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

/** What its turn changed, what it only read, and what is only named. */
function fileGroups({ files, files_read: read, files_modified: modified }: AnyObservation): [string, string[]][] {
  const other = files.filter((file) => !read.includes(file) && !modified.includes(file));
  const groups: [string, string[]][] = [
    ["Modified", modified],
    ["Read", read],
    ["", other],
  ];
  return groups.filter(([, list]) => list.length > 0);
}
