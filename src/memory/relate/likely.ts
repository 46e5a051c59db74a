// Which earlier sessions a session has much in common with: rare files, commits, issues and words, counted by how few others have them.
import type { Db } from "../../store/db/driver.ts";
import {
  type EarlierSession,
  earlierChangers,
  earlierNamers,
  type LinkedSession,
} from "../../store/reads/link-evidence.ts";
import type { Target } from "../../store/tables/links.ts";
import { isTrunk } from "../../core/work-tree.ts";

export interface Likely {
  session: EarlierSession;
  /** What both worked on: files, commits, issues. */
  work: number;
  /** What both are called. */
  words: number;
  /** A branch of its own that both were on. */
  isSameBranch: boolean;
}

/** What two sessions share, by what it is: how much it says, were it theirs alone. */
const WORTH = { changed: 1, read: 0.3, file: 0.3, commit: 1, issue: 1, url: 0.7, term: 1 } as const;
/** Below so many sessions nothing can be called rare. */
const MIN_SESSIONS = 8;
/** Two sweeping sessions share much by chance. */
const MAX_WORK = 2;
const MAX_WORDS = 2;

export function findLikely(
  db: Db,
  session: LinkedSession,
  {
    earlier,
    paths,
    targets,
  }: {
    earlier: readonly EarlierSession[];
    paths: readonly { path: string; is_changed: number }[];
    targets: readonly Target[];
  },
): Likely[] {
  const byRow = new Map(earlier.map((one) => [one.id, one]));
  const byName = new Map(earlier.map((one) => [one.session_id, one]));
  const found = new Map<number, Likely>();
  const share = (others: readonly EarlierSession[], add: (likely: Likely, rarity: number) => void): void => {
    const rarity = rarityOf(others.length, earlier.length);
    for (const other of others) {
      const likely = found.get(other.id) ?? { session: other, work: 0, words: 0, isSameBranch: false };
      add(likely, rarity);
      found.set(other.id, likely);
    }
  };
  const changersOf = (path: string): EarlierSession[] =>
    earlierChangers(db, session, path).flatMap((id) => byRow.get(id) ?? []);
  const seen = new Set<string>();
  for (const { path, is_changed } of paths) {
    seen.add(path);
    share(changersOf(path), (likely, rarity) => {
      likely.work += rarity * (is_changed === 1 ? WORTH.changed : WORTH.read);
    });
  }
  for (const target of targets) {
    const { type, id } = target;
    if (type === "file") {
      // A file that is named before anybody touches it: what others changed in it may be what is gone on with.
      if (!seen.has(id)) share(changersOf(id), (likely, rarity) => void (likely.work += rarity * WORTH.file));
      continue;
    }
    const namers = (): EarlierSession[] => earlierNamers(db, session, target).flatMap((name) => byName.get(name) ?? []);
    if (type === "branch" && !isTrunk(id)) share(namers(), (likely) => void (likely.isSameBranch = true));
    else if (type === "term") share(namers(), (likely, rarity) => void (likely.words += rarity * WORTH.term));
    else if (type === "commit" || type === "issue" || type === "url") {
      share(namers(), (likely, rarity) => void (likely.work += rarity * WORTH[type]));
    }
  }
  return [...found.values()].map((likely) => ({
    ...likely,
    work: Math.min(MAX_WORK, likely.work),
    words: Math.min(MAX_WORDS, likely.words),
  }));
}

/** 1 for what one session alone had before, next to 0 for what all had. Squared: what half of them have says nothing. */
function rarityOf(owners: number, sessions: number): number {
  if (owners === 0) return 0;
  return (Math.log(1 + sessions / owners) / Math.log(1 + Math.max(sessions, MIN_SESSIONS))) ** 2;
}
