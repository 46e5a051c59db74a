// The input and output of a tool use: edits as diffs, commands as code, other input as fields.
import type { items } from "../../../queries/session-items.ts";
import { useLoad } from "../../api.ts";
import { Code } from "../../components/code.tsx";
import { Diff, DiffLines, readPatch } from "../../components/diff.tsx";
import { Loaded, Skeleton } from "../../components/page.tsx";
import type { ToolItem } from "./items.ts";

export function ToolBody({ id, sessionId }: { id: string; sessionId: string }) {
  const item = useLoad<typeof items>(() => `/api/sessions/${encodeURIComponent(sessionId)}/items?whole=1&ids=${id}`);
  return (
    <div class="tool-body">
      <Loaded from={item} skeleton={<Skeleton lines={3} />}>
        {({ data: { results } }) =>
          results.map((tool) => tool.kind === "tool" && <InputAndOutput key={tool.id} tool={tool} />)
        }
      </Loaded>
    </div>
  );
}

function InputAndOutput({ tool }: { tool: ToolItem }) {
  const { name, input, output = "", is_error: isError } = tool;
  // Hides "The file has been updated": the diff shows the edit.
  const isEditNotice = !isError && /^(?:Edit|Write|MultiEdit)$/.test(name) && output.length < 20_000;
  return (
    <>
      <Input name={name} input={input} />
      {output !== "" && !isEditNotice && <Code label={isError ? "Error" : "Output"} text={output} isError={isError} />}
    </>
  );
}

function Input({ name, input }: { name: string; input: unknown }) {
  if (typeof input !== "object" || input === null) return <Code label="Input" text={String(input)} />;
  const fields = input as Record<string, unknown>;
  const [path = text(fields, "notebook_path") ?? text(fields, "path"), before, after, patch, content, command] = [
    "file_path",
    "old_string",
    "new_string",
    "patch",
    "content",
    "command",
  ].map((field) => text(fields, field));
  if (before !== undefined && after !== undefined) return <Diff before={before} after={after} path={path} />;
  if (patch !== undefined) return <DiffLines lines={readPatch(patch)} path={path} />;
  if (content !== undefined && name === "Write") return <Diff before="" after={content} path={path} />;
  if (Array.isArray(fields["edits"]))
    return (fields["edits"] as Record<string, unknown>[]).map((edit, index) => (
      <Diff key={index} before={text(edit, "old_string") ?? ""} after={text(edit, "new_string") ?? ""} path={path} />
    ));
  if (command !== undefined) return <Code label={text(fields, "description") ?? "Command"} text={command} />;
  return (
    <dl class="input-fields stack tight small">
      {Object.entries(fields).map(([field, value]) => (
        <div key={field}>
          <dt class="tiny">{field}</dt>
          <dd class="as-typed">{typeof value === "string" ? value : JSON.stringify(value, undefined, 2)}</dd>
        </div>
      ))}
    </dl>
  );
}

function text(fields: Record<string, unknown>, name: string): string | undefined {
  const value = fields[name];
  return typeof value === "string" ? value : undefined;
}
