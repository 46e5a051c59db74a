// Finds values in settings files, where the rest of the line is the value. Nearby lines show if it is code instead.
import { judge } from "./judge.ts";
import type { Place, Value } from "./value.ts";

/** Expressions in code and templates: `$HOME/x`, `get(…)`, `{{ name }}`. */
const NO_LITERAL =
  /^(?:["'`[{(<|>!&*%]|@[\w.]*[@/(]|\$[({A-Za-z_]|[\w.$]+\(|(?:[~.]{0,2}|[A-Za-z]:)[/\\]|[a-z][a-z0-9+.-]*:\/\/)|[{[(,;\\]$|\$\{|\{\{|<%/;
/** Text before a setting: indentation, a list, diff or comment mark, `export`. */
export const SETTING_START =
  /^[ \t]*(?:[-+#;[][ \t]?|\/\/[ \t]?)?(?:(?:export|set|env|ENV|ARG|local|declare|readonly|-e|--env|setenv)[ \t]+|-[De])?$/;

export function setting({ view, label, before, text }: Place, at: number, sign: string): Value[] | undefined {
  if (label.kind !== "password" && label.kind !== "secret") return undefined;
  if (!SETTING_START.test(before) || !/^(?:\??=|:|=>)$/.test(sign)) return undefined;
  const found = /^[^\n]{3,100}?(?=[ \t]*(?:[ \t]#[^\n]*)?(?:\r?\n|$))/.exec(view.text.slice(at, at + 140))?.[0];
  // Several fields in one line: `secret=value&grant=x`.
  if (found === undefined || NO_LITERAL.test(found) || /[&;,]\s*[\w.-]{1,40}[=:]|^[\u3040-\u9fff，。]+$/.test(found))
    return undefined;
  // "- Password: show strength meter" is prose.
  const isName = sign !== ":" || (/^[a-z]|[._]/.test(label.name) && !before.includes("-"));
  if (/\s/.test(found) && !isName && !isAmongSettings(text, label.start)) return undefined;
  // `on_pass = call_hook` assigns a variable.
  const isPhrase = sign === ":" && /^[a-z]{3,}(?:_[a-z]{2,}){2,}$/.test(found);
  const isVariable = /^[a-z\d]+(?:_[a-z\d]+)+$|^[a-z]+(?:[A-Z][a-z\d]+)+$/.test(found);
  if (isVariable && !isPhrase && !label.name.includes("-")) return undefined;
  const value: Value = { start: at, end: at + found.length, text: found, isQuoted: false };
  if (isAmongCode(text, label.start, view.endOf(value.end))) return undefined;
  const kept = judge(label, value, "setting");
  return kept.length === 0 ? undefined : kept;
}

/** True if the line above or below names a user or a host: `Login: ann`. */
function isAmongSettings(text: string, start: number): boolean {
  const near = text.slice(Math.max(0, start - 120), start + 160);
  return /(?:^|\n)[ \t]*(?:[-*] )?(?:user|login|host|name|mail|utente|nutzer|benutzer|usuario|usuária|utilisateur|логин|用户)[\p{L}\w -]{0,16}[ \t]*[:=：]/iu.test(
    near,
  );
}

const CODE_LINE =
  /[;}(]\s*$|(?:[)=>:,([]|\b(?:else|try|do|finally)|^\s*(?:export |public |abstract )*(?:class|interface|struct|enum|function|impl|fn|func|object|record|trait|namespace)\b[^\n]*)\s*\{\s*$|,\s*$|^\s*(?:import|export|const|let|var|def|class|interface|type|struct|func|fn|pub|public|private|protected|return|if|for|while|async|@\w+)\b|=>|\)\s*[{:]\s*$|\?:|: (?:str|int|bool|String|string|number)\b/;

export function isAmongCode(text: string, start: number, end: number): boolean {
  const above = text
    .slice(Math.max(0, start - 240), start)
    .split("\n")
    .slice(0, -1)
    .slice(-2);
  const below = text
    .slice(end, end + 160)
    .split("\n")
    .slice(1, 2);
  return [...above, ...below].some((line) => CODE_LINE.test(line));
}
