// What was measured: the raw results, as `--out` writes them.
import type { Measurement } from "./contestant.ts";
import type { HookTimes } from "./hooks.ts";
import type { Installed } from "./install.ts";
import type { Burst } from "./kill.ts";
import type { SearchFailure, SearchResult } from "./search.ts";
import type { SecretCount } from "./secrets.ts";
import type { TokenCount } from "./tokens.ts";

export interface Machine {
  cores: number;
  memoryGb: number;
  system: string;
  node: string;
  /** Waiting processes per core when the run started: above 0.5 the machine was busy with other work. */
  load: number;
}

export interface ImportResult {
  seconds: number;
  sessions: number;
  megabytes: number;
}

export interface Row {
  name: string;
  purpose: string;
  extra: string;
  /** How it was searched. */
  searchNote?: string;
  /** Why a measurement has no figure. */
  missing: Partial<Record<Measurement, string>>;
  install?: Installed;
  hooks?: HookTimes[];
  import?: ImportResult;
  search?: SearchResult | SearchFailure;
  locomo?: SearchResult | SearchFailure;
  tokens?: TokenCount;
  kill?: { calm: Burst; killed: Burst };
  secrets?: SecretCount;
}

export interface Report {
  machine: Machine;
  date: string;
  rounds: number;
  rows: Row[];
}
