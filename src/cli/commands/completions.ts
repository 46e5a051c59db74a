// c-mem completions: prints the completion script of a shell. Each script calls `c-mem __complete` with the typed
// words, which prints one "value<tab>description" per line. If it prints nothing, the script completes file names.
import { STDOUT } from "../../platform/terminal/style.ts";
import { defineCommand } from "../command.ts";
import { EXIT, printJson, writeDocument } from "../output.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;

export const command = defineCommand({
  about: "print the completion script for bash, zsh or fish",
  fields: { shell: { kind: "text", position: "<shell>", choices: SHELLS, required: true, about: "the shell" } },
  run({ shell }, { json }) {
    if (json) printJson("completions", { shell, script: SCRIPTS[shell] });
    else writeDocument(STDOUT, SCRIPTS[shell]);
    return EXIT.ok;
  },
});
// bash splits words at "=". Descriptions are shown in lists (COMP_TYPE), never inserted.
const BASH = String.raw`# bash completion for c-mem. Put this in ~/.bashrc:  source <(c-mem completions bash)
_c_mem() {
  local word value about words=() values=() lines=()
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD}"; do
    if [[ $word != "=" ]]; then words+=("$word"); fi
  done
  if [[ \${COMP_WORDS[COMP_CWORD]} == "=" ]]; then words+=(""); fi
  while IFS=$'\t' read -r value about; do
    printf -v about '%-24s  %s' "$value" "$about"
    printf -v value '%q' "$value"
    values+=("$value")
    lines+=("$about")
  done < <(c-mem __complete "\${words[@]}" 2>/dev/null)
  COMPREPLY=("\${values[@]}")
  if [[ ($COMP_TYPE == 63 || $COMP_TYPE == 33) && \${#values[@]} -gt 1 ]]; then COMPREPLY=("\${lines[@]}"); fi
}
complete -o default -o nosort -F _c_mem c-mem 2>/dev/null || complete -o default -F _c_mem c-mem
`;

const ZSH = String.raw`#compdef c-mem
# zsh completion for c-mem. Put this in ~/.zshrc after compinit:  source <(c-mem completions zsh)
_c_mem() {
  local value about
  local -a found
  while IFS=$'\t' read -r value about; do
    found+=("\${value//:/\\:}:$about")
  done < <(c-mem __complete "\${(@Q)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#found} )); then _describe -V 'c-mem' found; else _files; fi
}
if [[ $funcstack[1] == _c_mem ]]; then _c_mem "$@"; else compdef _c_mem c-mem; fi
`;

const FISH = String.raw`# fish completion for c-mem. Once:  c-mem completions fish > ~/.config/fish/completions/c-mem.fish
function __c_mem_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l found (c-mem __complete $words[2..-1] 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c c-mem -f -k -a '(__c_mem_complete)'
`;

const SCRIPTS = { bash: unescaped(BASH), zsh: unescaped(ZSH), fish: FISH };

/** String.raw keeps the backslash in "\\${": remove it. */
function unescaped(raw: string): string {
  return raw.replaceAll("\\${", "${");
}
