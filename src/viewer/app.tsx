// The layout around all pages: navigation, theme and connection state.
import { effect, signal, useSignal, useSignalEffect } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { type ApiError, asApiError, isSignedOut } from "./api.ts";
import { Button, IconButton } from "./components/controls.tsx";
import { isShortcut, useListener } from "./components/hooks.ts";
import { Icon } from "./components/icon.tsx";
import { Empty, ErrorBox, Skeleton } from "./components/page.tsx";
import { Toasts } from "./components/toast.tsx";
import { navigate, route } from "./router.ts";
import { findPage, type PageProps, PAGES } from "./routes.ts";
import { connection, connectStream } from "./stream.ts";

export function App() {
  const isMenuOpen = useSignal(false);
  useEffect(connectStream, []);
  useListener("keydown", focusSearch);
  useSignalEffect(() => {
    void route.value.path;
    isMenuOpen.value = false;
  });
  const found = findPage(route.value.path);
  return (
    <>
      <a class="skip button primary" href="#main" onClick={skipToMain}>
        Skip to the page
      </a>
      <header class={isMenuOpen.value ? "side is-open" : "side"}>
        <div class="side-top inline">
          <a class="brand inline" href="/" aria-label="C-Mem, now">
            <Logo />
            <span>C-Mem</span>
          </a>
          <Connection />
          <IconButton
            label="Menu"
            icon={isMenuOpen.value ? "close" : "menu"}
            class="menu-button"
            aria-expanded={isMenuOpen.value}
            aria-controls="navigation"
            onClick={() => (isMenuOpen.value = !isMenuOpen.value)}
          />
        </div>
        <nav id="navigation" aria-label="Pages">
          {PAGES.map((page) => (
            <a
              key={page.path}
              class="row inline"
              href={page.path}
              aria-current={found?.page === page ? "page" : undefined}
            >
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
          <Empty
            title="Page not found"
            heading="h1"
            text="See [what happens now](/) or [search](/search) all sessions."
          />
        ) : (
          <CurrentPage key={found.page.loadDetail === undefined ? found.page.path : route.value.path} {...found} />
        )}
      </main>
      <Toasts />
    </>
  );
}

/** Loads the code of a page, then renders the page. */
function CurrentPage({ page, id }: NonNullable<ReturnType<typeof findPage>>) {
  const loaded = useSignal<{ Body: ComponentType<PageProps> } | undefined>(undefined);
  const error = useSignal<ApiError | undefined>(undefined);
  useEffect(() => {
    document.title = `${page.name} · C-Mem`;
    const load = async (): Promise<void> => {
      const Detail = id === "" ? undefined : (await page.loadDetail?.())?.DetailPage;
      loaded.value = { Body: Detail ?? (await page.load()).Page };
    };
    load().catch((cause: unknown) => (error.value = asApiError(cause)));
  }, []);
  if (error.value !== undefined)
    return <ErrorBox error={error.value} hint="Reload: C-Mem may have been updated." retry={() => location.reload()} />;
  if (loaded.value === undefined) return <Skeleton class="page" />;
  const { Body } = loaded.value;
  return <Body id={id} />;
}

const CONNECTION = {
  live: { colour: "--good", text: "Live" },
  connecting: { colour: "--faint", text: "Connecting" },
  waiting: { colour: "--warn", text: "Not connected, retrying" },
};

function Connection() {
  const { colour, text } = CONNECTION[connection.value];
  return (
    <span class={`live live-${connection.value}`} style={{ color: `var(${colour})` }} role="status" title={text}>
      <span class="dot" />
      <span class="hidden">{text}</span>
    </span>
  );
}

const THEMES = { system: "system", light: "sun", dark: "moon" } as const;
const THEME_KEY = "c-mem.theme";
const theme = signal<keyof typeof THEMES>("system");

export function startTheme(): void {
  const saved = localStorage.getItem(THEME_KEY);
  if (saved === "light" || saved === "dark") theme.value = saved;
  effect(() => {
    if (theme.value === "system") document.documentElement.removeAttribute("data-theme");
    else document.documentElement.dataset["theme"] = theme.value;
    localStorage.setItem(THEME_KEY, theme.value);
  });
}

function ThemeSwitch() {
  return (
    <fieldset class="theme">
      <legend class="hidden">Colours</legend>
      {(["system", "light", "dark"] as const).map((each) => (
        <label key={each} class="icon-button" title={`Colours: ${each}`}>
          <input
            type="radio"
            name="theme"
            class="hidden"
            checked={theme.value === each}
            onChange={() => (theme.value = each)}
          />
          <Icon name={THEMES[each]} />
          <span class="hidden">{each}</span>
        </label>
      ))}
    </fieldset>
  );
}

function Logo() {
  return (
    <svg width="20" height="20" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="var(--accent)" />
      <path d="M21.5 11.2a7.3 7.3 0 1 0 0 9.6" fill="none" stroke="var(--on-accent)" stroke-width="3" />
      <circle cx="22.4" cy="16" r="2.1" fill="var(--on-accent)" />
    </svg>
  );
}

function SignedOut() {
  const text = "Your memory is private. Run `c-mem open` in a terminal: it opens this page and signs this browser in.";
  return (
    <Empty title="This browser is not signed in" heading="h1" text={text}>
      <Button label="Try again" onClick={() => location.reload()} />
    </Empty>
  );
}

function skipToMain(event: MouseEvent): void {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

/** The "/" key opens the search on every page. */
function focusSearch(event: KeyboardEvent): void {
  if (event.key !== "/" || !isShortcut(event)) return;
  event.preventDefault();
  if (route.peek().path !== "/search") navigate("/search");
  requestAnimationFrame(() => document.getElementById("search-box")?.focus());
}
