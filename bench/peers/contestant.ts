// A memory tool that is measured: what to install, how to set it up, and how an agent writes to it and searches it.
import type { McpClient } from "./mcp-client.ts";
import type { Place } from "./place.ts";
import type { Session } from "./worlds.ts";

export type Measurement = "install" | "hooks" | "import" | "search" | "tokens" | "kill" | "secrets";

export interface Contestant {
  name: string;
  /** Npm specs. The first is the tool itself. */
  packages: readonly string[];
  purpose: string;
  /** What it does that C-Mem does not. */
  extra: string;
  /** Where its version is read from, if `packages` names a file. */
  packageName?: string;
  /** Why a measurement has no figure. */
  missing: Partial<Record<Measurement, string>>;
  /** Finishes the installation, e.g. fetches the tool's own packages. */
  finishInstall?(place: Place): Promise<void>;
  /** Writes settings into a fresh home folder and registers hooks. `model`: the address of the loopback model. */
  prepare?(place: Place, model: ModelUse): Promise<void>;
  /** The file with its hooks in the form of Claude Code's settings. */
  hooks?(place: Place): HooksFile;
  /** Runs after the hooks of a session, before its data is read. */
  settle?(place: Place): Promise<void>;
  search?: SearchTool;
  /** The reply of the scripted model. Undefined: the tool calls no model. */
  modelReply?(body: ChatBody): string;
}

export interface HooksFile {
  path: string;
  /** The plugin's folder, if the hooks are a plugin's. */
  root?: string;
}

export interface ModelUse {
  url: string;
  /** False: only tools that do nothing without a model are connected to it. */
  isWanted: boolean;
}

export interface ChatBody {
  messages: { role: string; content: string }[];
  [key: string]: unknown;
}

export interface SearchTool {
  /** "transcripts": it reads them itself. "writes": the same turns are written with its own tool or hooks. */
  source: "transcripts" | "writes";
  how: string;
  /** Why it is not asked about LoCoMo. */
  notForLocomo?: string;
  /** It keeps something of a query for the next one, so each query gets a server of its own. Its start is not timed. */
  needsFreshServer?: boolean;
  server(place: Place): { command: string; args: string[]; env?: Record<string, string> };
  /** Imports the transcripts or writes the turns. */
  load?(place: Place, sessions: readonly Session[], client: () => Promise<McpClient>): Promise<void>;
  /** The sessions found, best first, by id or tag. */
  find(client: McpClient, query: string, sessions: readonly Session[]): Promise<string[]>;
}
