// What a person can do about an observation: keep it in front, reword it, say what took its place, forget it.
import { useSignal } from "@preact/signals";
import { asApiError, send } from "../../api.ts";
import { toast } from "../../components/toast.tsx";
import type { AnyObservation } from "../../wire.ts";
import { Edit } from "./edit.tsx";
import { forget } from "./forget.ts";
import { Supersede } from "./supersede.tsx";

export function Actions({
  observation,
  changed,
  forgotten = () => {},
}: {
  observation: AnyObservation;
  changed: () => void;
  forgotten?: () => void;
}) {
  const open = useSignal<"edit" | "supersede" | undefined>(undefined);
  const { id, title, pinned, superseded_by: successor, superseded_by_hand: isByHand } = observation;
  const path = `/api/observations/${id}`;
  const change = async (method: "PUT" | "DELETE", what: string, words: string): Promise<void> => {
    try {
      await send(method, `${path}/${what}`);
      toast(words);
      changed();
    } catch (error) {
      toast(asApiError(error).message);
    }
  };
  const toggle = (what: "edit" | "supersede"): void => {
    open.value = open.value === what ? undefined : what;
  };
  const done = (): void => {
    open.value = undefined;
    changed();
  };
  return (
    <>
      <div class="actions" role="group" aria-label="What can be done about it">
        <button class="button" aria-pressed={pinned} onClick={() => void change(...pinning(pinned))}>
          {pinned ? "Unpin" : "Pin"}
        </button>
        <button class="button" aria-expanded={open.value === "edit"} onClick={() => toggle("edit")}>
          Edit
        </button>
        {successor === null ? (
          <button class="button" aria-expanded={open.value === "supersede"} onClick={() => toggle("supersede")}>
            Supersede
          </button>
        ) : (
          isByHand && (
            <button class="button" onClick={() => void change("DELETE", "successor", "It holds again.")}>
              It holds after all
            </button>
          )
        )}
        <button class="button danger" onClick={() => void forget(id, title).then((isHeld) => isHeld && forgotten())}>
          Forget
        </button>
      </div>
      {open.value === "edit" && <Edit observation={observation} close={() => (open.value = undefined)} saved={done} />}
      {open.value === "supersede" && <Supersede observation={observation} saved={done} />}
    </>
  );
}

function pinning(isPinned: boolean): ["PUT" | "DELETE", string, string] {
  return isPinned ? ["DELETE", "pin", "The pin is off."] : ["PUT", "pin", "Pinned: it stays in front."];
}
