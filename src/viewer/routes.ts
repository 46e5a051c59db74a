// Which address shows which page. Pages are loaded when they are first shown.
import type { ComponentType } from "preact";
import type { IconName } from "./components/icon.tsx";
import { decoded } from "./router.ts";

export interface PageProps {
  /** What the address names, such as a session's id; "" where it names nothing. */
  id: string;
}

export interface Page {
  name: string;
  icon: IconName;
  /** The first part of the address. */
  path: string;
  /** Said in the navigation; a page without is reached from others. */
  inNavigation: boolean;
  load: () => Promise<ComponentType<PageProps>>;
  /** Another page for an address that names one thing. */
  loadOne?: () => Promise<ComponentType<PageProps>>;
}

export const PAGES: readonly Page[] = [
  page("Now", "now", "/", () => import("./pages/now/now.tsx").then((file) => file.Now)),
  page("Search", "search", "/search", () => import("./pages/search/search.tsx").then((file) => file.Search)),
  {
    ...page("Sessions", "sessions", "/sessions", () => import("./pages/sessions.tsx").then((file) => file.Sessions)),
    loadOne: () => import("./pages/session/session.tsx").then((file) => file.Session),
  },
  {
    ...page("Memory", "memory", "/memory", () => import("./pages/memory/memory.tsx").then((file) => file.Memory)),
    loadOne: () => import("./pages/memory/one.tsx").then((file) => file.OneObservation),
  },
  page("Files", "files", "/files", () => import("./pages/files/files.tsx").then((file) => file.Files)),
  {
    ...page("Efforts", "efforts", "/efforts", () => import("./pages/efforts/efforts.tsx").then((file) => file.Efforts)),
    loadOne: () => import("./pages/efforts/one.tsx").then((file) => file.OneEffort),
  },
  page("Insight", "insight", "/insight", () => import("./pages/insight/insight.tsx").then((file) => file.Insight)),
  page("Context", "context", "/context", () => import("./pages/context/context.tsx").then((file) => file.Context)),
  page("Settings", "settings", "/settings", () =>
    import("./pages/settings/settings.tsx").then((file) => file.SettingsPage),
  ),
  page("Health", "health", "/doctor", () => import("./pages/health.tsx").then((file) => file.Health)),
];

/** The page of an address, and what the address names on it. */
export function findPage(path: string): { page: Page; id: string } | undefined {
  const [, first = "", ...rest] = path.split("/");
  const found = PAGES.find((each) => each.path === `/${first}`);
  return found === undefined ? undefined : { page: found, id: decoded(rest.join("/")) };
}

function page(name: string, icon: IconName, path: string, load: Page["load"]): Page {
  return { name, icon, path, inNavigation: true, load };
}
