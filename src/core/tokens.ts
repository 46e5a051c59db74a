// How many tokens a text takes: within a few percent of the common tokenisers (characters / 4 is up to 22% low).
import { estimateTokenCount } from "tokenx";

export function estimateTokens(text: string): number {
  return estimateTokenCount(text);
}
