// The shell: navigation, theme, and the page of the address.
import { useSignal, useSignalEffect } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { asApiError, type ApiError, isSignedOut } from "./api.ts";
import { Empty } from "./components/empty.tsx";
import { ErrorBox } from "./components/error-box.tsx";
import { Icon } from "./components/icon.tsx";
import { PageSkeleton } from "./components/skeleton.tsx";
import { Toasts } from "./components/toast.tsx";
import { navigate, route } from "./router.ts";
import { findPage, PAGES, type PageProps } from "./routes.ts";
import { connection, connectStream } from "./stream.ts";
import { theme, THEMES } from "./theme.ts";

export function App() {
  const isMenuOpen = useSignal(false);
  useEffect(connectStream, []);
  useEffect(listenForSlash, []);
  useSignalEffect(() => {
    void route.value.path;
    isMenuOpen.value = false;
  });
  const found = findPage(route.value.path);
  return (
    <>
      <a class="skip" href="#main" onClick={skipToMain}>
        Skip to the page
      </a>
      <header class={isMenuOpen.value ? "side is-open" : "side"}>
        <div class="side-top">
          <a class="brand" href="/" aria-label="C-Mem, now">
            <Mark />
            <span>C-Mem</span>
          </a>
          <Live />
          <button
            class="icon-button menu-button"
            aria-expanded={isMenuOpen.value}
            aria-controls="navigation"
            aria-label="Menu"
            onClick={() => (isMenuOpen.value = !isMenuOpen.value)}
          >
            <Icon name={isMenuOpen.value ? "close" : "menu"} />
          </button>
        </div>
        <nav id="navigation" aria-label="Pages">
          {PAGES.filter((page) => page.inNavigation).map((page) => (
            <a key={page.path} href={page.path} aria-current={found?.page === page ? "page" : undefined}>
              <Icon name={page.icon} />
              <span>{page.name}</span>
              {page.path === "/search" && <kbd aria-hidden="true">/</kbd>}
            </a>
          ))}
        </nav>
        <ThemeSwitch />
      </header>
      <main id="main" tabIndex={-1}>
        {isSignedOut.value ? (
          <SignedOut />
        ) : found === undefined ? (
          <NotFound />
        ) : (
          <Shown key={keyOf(found)} {...found} />
        )}
      </main>
      <Toasts />
    </>
  );
}

type FoundPage = NonNullable<ReturnType<typeof findPage>>;

/** A page that names one thing begins anew with another. */
function keyOf({ page, id }: FoundPage): string {
  return page.loadOne === undefined ? page.path : `${page.path}/${id}`;
}

/** A page once its code is there; while it comes, what came before it is gone and a skeleton stands in its place. */
function Shown({ page, id }: FoundPage) {
  const loaded = useSignal<{ Body: ComponentType<PageProps> } | undefined>(undefined);
  const error = useSignal<ApiError | undefined>(undefined);
  useEffect(() => {
    document.title = `${page.name} · C-Mem`;
    const load = id !== "" && page.loadOne !== undefined ? page.loadOne : page.load;
    load().then(
      (Body) => (loaded.value = { Body }),
      (cause: unknown) => (error.value = asApiError(cause)),
    );
  }, []);
  if (error.value !== undefined)
    return (
      <ErrorBox error={error.value} hint="C-Mem may have been updated meanwhile." retry={() => location.reload()} />
    );
  if (loaded.value === undefined) return <PageSkeleton />;
  const { Body } = loaded.value;
  return <Body id={id} />;
}

function Live() {
  const words = { live: "Live", connecting: "Connecting", waiting: "Not connected, trying again" }[connection.value];
  return (
    <span class={`live live-${connection.value}`} role="status" title={words}>
      <span class="dot" />
      <span class="hidden">{words}</span>
    </span>
  );
}

const THEME_ICONS = { system: "system", light: "sun", dark: "moon" } as const;

function ThemeSwitch() {
  return (
    <fieldset class="theme">
      <legend class="hidden">Colours</legend>
      {THEMES.map((each) => (
        <label key={each} title={`Colours: ${each}`}>
          <input
            type="radio"
            name="theme"
            class="hidden"
            checked={theme.value === each}
            onChange={() => (theme.value = each)}
          />
          <Icon name={THEME_ICONS[each]} />
          <span class="hidden">{each}</span>
        </label>
      ))}
    </fieldset>
  );
}

function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" />
      <path d="M21.5 11.2a7.3 7.3 0 1 0 0 9.6" />
      <circle cx="22.4" cy="16" r="2.1" />
    </svg>
  );
}

function SignedOut() {
  return (
    <Empty title="This browser is not let in yet" heading="h1">
      <p>
        What C-Mem remembers is yours alone. Run <code>c-mem open</code> in a terminal: it opens this page with a link
        that lets this browser in.
      </p>
      <button class="button" onClick={() => location.reload()}>
        Try again
      </button>
    </Empty>
  );
}

function NotFound() {
  return (
    <Empty title="There is no such page" heading="h1">
      <p>
        <a href="/">See what happens now</a> or <a href="/search">search</a>.
      </p>
    </Empty>
  );
}

function skipToMain(event: MouseEvent): void {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

/** "/" goes to the search from everywhere, unless something is being typed. */
function listenForSlash(): () => void {
  const onKey = (event: KeyboardEvent): void => {
    const target = event.target as HTMLElement;
    if (event.key !== "/" || event.metaKey || event.ctrlKey || event.altKey) return;
    if (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) return;
    event.preventDefault();
    if (route.peek().path !== "/search") navigate("/search");
    requestAnimationFrame(() => document.getElementById("search-box")?.focus());
  };
  addEventListener("keydown", onKey);
  return () => removeEventListener("keydown", onKey);
}
