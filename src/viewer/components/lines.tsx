// How many lines came and went.
import { withCommas } from "../format.ts";

export function Lines({ added, removed }: { added: number; removed: number }) {
  return (
    <span class="lines num">
      <span class="added">+{withCommas(added)}</span> <span class="removed">−{withCommas(removed)}</span>
    </span>
  );
}
