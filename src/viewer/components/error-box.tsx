// What went wrong, what to do next, and a way to try again.
import type { ApiError } from "../api.ts";
import { WithCode } from "./code.tsx";
import { Icon } from "./icon.tsx";

export function ErrorBox({ error, hint, retry }: { error: ApiError; hint?: string; retry?: () => void }) {
  const next = error.hint ?? hint;
  return (
    <section class="error-box" role="alert">
      <Icon name="warning" />
      <div>
        <strong>
          <WithCode text={error.message} />
        </strong>
        {next !== undefined && (
          <p>
            <WithCode text={next} />
          </p>
        )}
      </div>
      {retry !== undefined && (
        <button class="button" onClick={retry}>
          Try again
        </button>
      )}
    </section>
  );
}
