// c-mem without arguments on a terminal: searches as you type; Enter shows the session.
import { spawnSync } from "node:child_process";
import { createEmbeddingCache } from "../../queries/embedding-cache.ts";
import { resolvePaths } from "../../config/paths.ts";
import { ONE_SHOT_PREFILTER_FROM } from "../../recall/search/vector-index.ts";
import { updateSearchIndex } from "../../store/fts/search-index.ts";
import { listAgents } from "../../store/reads/session-list.ts";
import { EXIT } from "../output.ts";
import { paint } from "../../platform/terminal/style.ts";
import { findProjectHere } from "../../capture/capture-context.ts";
import { withStore } from "../store.ts";
import { type Key, readKeys } from "./keys.ts";
import { createSearcher, type Searcher } from "./searcher.ts";
import { createState, type Outcome, pressKey, refineResults, resize, showResults, type State } from "./state.ts";
import { openTerminal, type Terminal } from "./terminal.ts";
import { draw } from "./view.ts";

/** Semantic search starts after this pause in typing. */
const PAUSE_MS = 300;

export async function run(): Promise<number> {
  const env = process.env;
  const paths = resolvePaths(env);
  const outcome = await withStore(paths, async (db) => {
    updateSearchIndex(db);
    const { known } = findProjectHere(db, { paths, env, cwd: process.cwd() });
    // Reads only a few bytes of each vector, because the user may still be typing.
    const embeddings = createEmbeddingCache(paths, env, ONE_SHOT_PREFILTER_FROM);
    const terminal = openTerminal(process.stdin, process.stdout);
    try {
      const start = createState({ size: terminal.size(), project: known?.name, agents: listAgents(db) });
      return await runSearch(
        terminal,
        createSearcher({ db, paths, env, embeddings: embeddings.cache }, known?.id),
        start,
      );
    } finally {
      terminal.close();
      embeddings.close();
    }
  });
  return outcome.kind === "leave" ? outcome.exitCode : show(outcome);
}

function runSearch(terminal: Terminal, searcher: Searcher, start: State): Promise<Outcome> {
  const { stdin, stdout } = process;
  let state = showResults(start, searcher.search(start.question));
  let pause: NodeJS.Timeout | undefined;
  let close = (): void => {};
  const refresh = (): void => {
    const selected = state.results[state.selected];
    const preview = selected === undefined ? undefined : searcher.preview(selected);
    terminal.show(draw(state, preview, { now: Date.now(), paint }));
  };
  return new Promise<Outcome>((done, fail) => {
    /** An error ends the search, not the process: the terminal must be restored first. */
    const guarded =
      <Args extends unknown[]>(work: (...args: Args) => void) =>
      (...args: Args): void => {
        try {
          work(...args);
        } catch (error) {
          fail(error);
        }
      };
    const searchSemantic = async (): Promise<void> => {
      const question = state.question;
      const better = await searcher.searchSemantic(question);
      if (better === undefined || state.question !== question || state.outcome !== undefined) return;
      state = refineResults(state, better);
      refresh();
    };
    const handleKeys = guarded((keys: readonly Key[]) => {
      const question = state.question;
      state = keys.reduce(pressKey, state);
      if (state.outcome !== undefined) return done(state.outcome);
      if (state.question !== question) {
        state = showResults(state, searcher.search(state.question));
        clearTimeout(pause);
        pause = setTimeout(() => void searchSemantic().catch(fail), PAUSE_MS);
      }
      refresh();
    });
    close = readKeys(stdin, handleKeys);
    stdin.on("end", () => done({ kind: "leave", exitCode: EXIT.ok }));
    const onResize = guarded(() => {
      state = resize(state, terminal.size());
      refresh();
    });
    stdout.on("resize", onResize);
    onResize();
  }).finally(() => {
    clearTimeout(pause);
    close();
    stdin.removeAllListeners("end");
    stdout.removeAllListeners("resize");
  });
}

/** Runs `c-mem show` on the restored screen. */
function show({ result }: Extract<Outcome, { kind: "open" }>): number {
  const turn = result.promptNumber === undefined ? [] : ["--turn", String(result.promptNumber)];
  const args = [process.argv[1] ?? "", "show", result.session.session_id, ...turn];
  return spawnSync(process.execPath, args, { stdio: "inherit" }).status ?? EXIT.failure;
}
