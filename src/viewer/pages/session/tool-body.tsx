// What went into a tool and what came out: changes as changes, commands as commands, the rest as it is.
import { Fragment } from "preact";
import { useLoad } from "../../api.ts";
import { Code } from "../../components/code.tsx";
import { Diff, DiffLines, readPatch } from "../../components/diff.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import type { WholeToolItem } from "../../wire.ts";

export function ToolBody({ id, sessionId }: { id: string; sessionId: string }) {
  const item = useLoad<{ results: WholeToolItem[] }>(
    () => `/api/sessions/${encodeURIComponent(sessionId)}/items?whole=1&ids=${id}`,
  );
  return (
    <div class="tool-body">
      <Loaded from={item} skeleton={<Skeleton lines={3} class="row" />}>
        {({ data: { results } }) =>
          results.map((tool) => (
            <Fragment key={tool.id}>
              <Input name={tool.name} input={tool.input} />
              {tool.output !== "" && !isChangeNotice(tool) && (
                <Code label={tool.is_error ? "Error" : "Output"} text={tool.output} isError={tool.is_error} />
              )}
            </Fragment>
          ))
        }
      </Loaded>
    </div>
  );
}

function Input({ name, input }: { name: string; input: unknown }) {
  if (typeof input !== "object" || input === null) return <Code label="Input" text={String(input)} />;
  const fields = input as Record<string, unknown>;
  const text = (field: string): string | undefined =>
    typeof fields[field] === "string" ? (fields[field] as string) : undefined;
  const path = text("file_path") ?? text("notebook_path") ?? text("path");
  const named = path === undefined ? {} : { path };
  const [before, after, patch, content] = [text("old_string"), text("new_string"), text("patch"), text("content")];
  if (before !== undefined && after !== undefined) return <Diff before={before} after={after} {...named} />;
  if (patch !== undefined) return <DiffLines lines={readPatch(patch)} {...named} />;
  if (content !== undefined && name === "Write") return <Diff before="" after={content} {...named} />;
  if (Array.isArray(fields["edits"]))
    return (
      <>
        {(fields["edits"] as Record<string, unknown>[]).map((edit, index) => (
          <Diff
            key={index}
            before={String(edit["old_string"] ?? "")}
            after={String(edit["new_string"] ?? "")}
            {...named}
          />
        ))}
      </>
    );
  const command = text("command");
  if (command !== undefined) return <Code label={text("description") ?? "Command"} text={command} />;
  return <Fields fields={fields} />;
}

function Fields({ fields }: { fields: Record<string, unknown> }) {
  const entries = Object.entries(fields);
  if (entries.length === 0) return null;
  return (
    <dl class="input-fields">
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{typeof value === "string" ? value : JSON.stringify(value, undefined, 2)}</dd>
        </div>
      ))}
    </dl>
  );
}

/** "The file has been updated": the change itself says more. */
function isChangeNotice({ name, is_error, output }: WholeToolItem): boolean {
  return !is_error && (name === "Edit" || name === "Write" || name === "MultiEdit") && output.length < 20_000;
}
