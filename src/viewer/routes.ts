// Which address shows which page. A page's code is loaded when it is first shown.
import type { ComponentType } from "preact";
import type { IconName } from "./components/icon.tsx";
import { decoded } from "./router.ts";

export interface PageProps {
  /** The rest of the address, such as a session's id; "" if there is none. */
  id: string;
}

type LoadPage = () => Promise<ComponentType<PageProps>>;

export interface Page {
  path: string;
  name: string;
  icon: IconName;
  load: LoadPage;
  /** For an address with an id. */
  loadOne?: LoadPage;
}

export const PAGES: readonly Page[] = [
  { path: "/", name: "Now", icon: "now", load: async () => (await import("./pages/now/now.tsx")).Now },
  {
    path: "/search",
    name: "Search",
    icon: "search",
    load: async () => (await import("./pages/search/search.tsx")).Search,
  },
  {
    path: "/sessions",
    name: "Sessions",
    icon: "sessions",
    load: async () => (await import("./pages/sessions.tsx")).Sessions,
    loadOne: async () => (await import("./pages/session/session.tsx")).Session,
  },
  {
    path: "/memory",
    name: "Memory",
    icon: "memory",
    load: async () => (await import("./pages/memory/memory.tsx")).Memory,
    loadOne: async () => (await import("./pages/memory/one.tsx")).OneObservation,
  },
  { path: "/files", name: "Files", icon: "files", load: async () => (await import("./pages/files.tsx")).Files },
  {
    path: "/efforts",
    name: "Efforts",
    icon: "efforts",
    load: async () => (await import("./pages/efforts.tsx")).Efforts,
    loadOne: async () => (await import("./pages/efforts.tsx")).OneEffort,
  },
  {
    path: "/insight",
    name: "Insight",
    icon: "insight",
    load: async () => (await import("./pages/insight/insight.tsx")).Insight,
  },
  {
    path: "/context",
    name: "Context",
    icon: "context",
    load: async () => (await import("./pages/context.tsx")).Context,
  },
  {
    path: "/settings",
    name: "Settings",
    icon: "settings",
    load: async () => (await import("./pages/settings.tsx")).Settings,
  },
  { path: "/doctor", name: "Health", icon: "health", load: async () => (await import("./pages/health.tsx")).Health },
];

/** The page of an address, and the id in it: "/sessions/abc" -> Sessions, "abc". */
export function findPage(path: string): { page: Page; id: string } | undefined {
  const [, first = "", ...rest] = path.split("/");
  const page = PAGES.find((each) => each.path === `/${first}`);
  return page && { page, id: decoded(rest.join("/")) };
}
