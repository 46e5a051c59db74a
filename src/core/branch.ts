// Branches everybody is on say little about a session; one of its own says nearly all.

const TRUNKS = new Set(["main", "master", "develop", "dev", "trunk", "HEAD", ""]);

export function isTrunk(branch: string): boolean {
  return TRUNKS.has(branch);
}
