// Reads from a shell command which texts it wrote into files: `cat > a.txt <<'EOF'` and the like. What other commands did
// to a file is not known.
import { type FileChange, splitLines } from "./file-change.ts";

/** "cat > a <<EOF", "cat <<'EOF' >> a", "tee a <<-EOF >/dev/null": redirections, the tag, and the rest of the line. */
const HEREDOC = /^(.*?)<<(-?)\s*(["']?)(\w+)\3(.*)$/;
const TARGET = /(?:^|[^>&\d])(>>?)\s*(["']?)([^\s"'|;&<>]+)\2/;
const TEE = /\btee\s+(-a\s+)?(["']?)([^\s"'|;&<>]+)\2/;

interface WrittenFile {
  /** As in file_touches: relative to the root of the project. */
  path: string;
  /** The folder in which the session began: the root, or one below it. */
  cwd: string;
}

/** The changes to one file, in order. */
export function shellChanges(command: string, file: WrittenFile): FileChange[] {
  const lines = command.split("\n");
  const changes: FileChange[] = [];
  for (let at = 0; at < lines.length; at++) {
    const [, before = "", dash, quote = "", tag, after = ""] = HEREDOC.exec(lines[at] ?? "") ?? [];
    if (tag === undefined) continue;
    const end = lines.findIndex((line, index) => index > at && line.trim() === tag);
    const typed = lines.slice(at + 1, end < 0 ? lines.length : end);
    // The shell removes leading tabs after "<<-".
    const content = dash === "-" ? typed.map((line) => line.replace(/^\t+/, "")) : typed;
    const target = targetOf(before, after);
    // Without quotes the shell fills in variables: the text in the file is another one.
    const isExact = quote !== "" || !content.some((line) => /[$`\\]/.test(line));
    const folders = [...lines.slice(0, at), before].flatMap((line) =>
      [...line.matchAll(CD)].map(([, , to = ""]) => to),
    );
    if (target !== undefined && isFile(target.path, file, folders)) changes.push(changeOf(target, content, isExact));
    if (end < 0) break;
    at = end;
  }
  return changes;
}

interface Target {
  path: string;
  isAppended: boolean;
}

/** Other commands than cat and tee write their output, not the text: "python3 - <<EOF > a.txt". */
function targetOf(before: string, after: string): Target | undefined {
  const command = before.split(/[;&|(]/).at(-1) ?? "";
  if (!/^\s*(?:sudo\s+)?(?:cat|tee)\b/.test(command)) return undefined;
  const [own = "", next] = after.split(/(?<![|>])\|(?!\|)/);
  const teed = next === undefined ? undefined : /^\s*(?:sudo\s+)?tee\b/.test(next) ? next : "";
  return targetIn(command) ?? targetIn(teed ?? own);
}

function targetIn(words: string): Target | undefined {
  const tee = TEE.exec(words);
  if (tee?.[3] !== undefined) return { path: tee[3], isAppended: tee[1] !== undefined };
  const [, sign, , path] = TARGET.exec(words) ?? [];
  return path === undefined || path.startsWith("/dev/") ? undefined : { path, isAppended: sign === ">>" };
}

const CD = /(?:^|[;&(]\s*)\s*cd\s+(["']?)([^\s"';&|)]+)\1/g;

/** "notes.txt" is docs/notes.txt only in the folder docs. `folders`: those into which the command went before. */
function isFile(named: string, { path, cwd }: WrittenFile, folders: readonly string[]): boolean {
  const full = [...folders, named].reduce(resolveSlashed, slashed(cwd));
  if (!full.endsWith(`/${path}`)) return false;
  // With "a.txt" in the root, /app/docs/a.txt is another file. A long path leaves no doubt, e.g. in another worktree.
  const root = full.slice(0, -path.length);
  return path.includes("/") || `${slashed(cwd)}/`.startsWith(root);
}

/** "/app", "../lib/a.ts" -> "/lib/a.ts" */
function resolveSlashed(folder: string, name: string): string {
  const to = slashed(name);
  const parts = /^(?:\/|[A-Za-z]:\/)/.test(to) ? [] : folder.split("/");
  for (const part of to.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== ".") parts.push(part);
  }
  return parts.join("/");
}

function slashed(path: string): string {
  return path.replaceAll("\\", "/").replace(/(?<=.)\/$/, "");
}

function changeOf({ isAppended }: Target, content: readonly string[], isExact: boolean): FileChange {
  const lines = splitLines(content.join("\n"));
  if (!isExact) return { kind: "some", lines };
  return isAppended ? { kind: "lines", before: [], after: lines } : { kind: "whole", lines, isNew: false };
}

/** Commands that change the files they name. */
const WRITER =
  /^\s*(?:sudo\s+)?(?:sed\s(?:.*\s)?(?:-i|--in-place)|perl\s(?:.*\s)?-\w*i|tee\s|patch\s|truncate\s|ed\s|ex\s)/;
/** "prettier --write a.ts", "eslint --fix a.ts", "gofmt -w a.go", "tool -o a.json" */
const WRITE_OPTION = /\s(?:--write|--fix|--in-place|--output|--out-file|-w|-o)(?:[\s=]|$)/;
/** Their options of the same name do something else; git moves files, but does not write their lines. */
const READER = /^\s*(?:sudo\s+)?(?:git|e?grep|rg|ag|wc|ls|find|diff)\s/;
/** Commands whose last word is the file they write. */
const COPY = /^\s*(?:sudo\s+)?(?:cp|install|rsync)\s/;
const SCRIPT = /\b(?:python[\d.]*|node|ruby|perl|deno|bun|tsx)\b/;
const WRITE_CALL = /\bwrite\w*|\bdump\w*\s*\(|['"][wax]\+?b?['"]|\.save\w*\(/i;

/** Whether a shell command that names this file may have written text into it. False for reading and for git. */
export function mayWriteFile(command: string, path: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1).replaceAll(/[^\w]/g, "\\$&");
  const named = new RegExp(`(?<![\\w.-])${name}(?![\\w-]|\\.\\w)`);
  const redirected = new RegExp(`>>?\\|?\\s*["']?[^\\s"'|;&<>]*(?<![\\w.-])${name}(?![\\w-]|\\.\\w)`);
  const isScript = SCRIPT.test(command) && WRITE_CALL.test(command);
  if (isScript && /<<|\s-[ce]\s/.test(command) && named.test(command)) return true;
  return command.split(/\n|;|&&|\|\||\|/).some((part) => {
    if (redirected.test(part)) return true;
    if (!named.test(part) || READER.test(part)) return false;
    if (COPY.test(part)) return named.test(part.trim().split(/\s+/).at(-1) ?? "");
    return WRITER.test(part) || WRITE_OPTION.test(part);
  });
}
