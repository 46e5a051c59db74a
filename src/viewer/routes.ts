// The pages and their addresses. The code of a page is loaded when the page is first shown.
import type { ComponentType } from "preact";
import type { IconName } from "./components/icon.tsx";
import { decoded } from "./router.ts";

export interface PageProps {
  /** The address after the page's path: "/sessions/abc" -> "abc", "/sessions" -> "". */
  id: string;
}

export interface Page {
  path: string;
  name: string;
  icon: IconName;
  load: () => Promise<{ Page: ComponentType<PageProps> }>;
  /** Loads the page for an address with an id, such as "/sessions/abc". */
  loadDetail?: () => Promise<{ DetailPage: ComponentType<PageProps> }>;
}

export const PAGES: readonly Page[] = [
  { path: "/", name: "Now", icon: "now", load: () => import("./pages/now/now.tsx") },
  { path: "/search", name: "Search", icon: "search", load: () => import("./pages/search/search.tsx") },
  {
    path: "/sessions",
    name: "Sessions",
    icon: "sessions",
    load: () => import("./pages/sessions.tsx"),
    loadDetail: () => import("./pages/session/session.tsx"),
  },
  {
    path: "/memory",
    name: "Memory",
    icon: "memory",
    load: () => import("./pages/memory/memory.tsx"),
    loadDetail: () => import("./pages/memory/detail.tsx"),
  },
  { path: "/files", name: "Files", icon: "files", load: () => import("./pages/files.tsx") },
  {
    path: "/efforts",
    name: "Efforts",
    icon: "efforts",
    load: () => import("./pages/efforts.tsx"),
    loadDetail: () => import("./pages/efforts.tsx"),
  },
  { path: "/insight", name: "Insight", icon: "insight", load: () => import("./pages/insight/insight.tsx") },
  { path: "/context", name: "Context", icon: "context", load: () => import("./pages/context.tsx") },
  { path: "/settings", name: "Settings", icon: "settings", load: () => import("./pages/settings.tsx") },
  { path: "/doctor", name: "Health", icon: "health", load: () => import("./pages/health.tsx") },
];

/** Finds the page of an address, and the id in the address: "/sessions/abc" -> Sessions, "abc". */
export function findPage(path: string): { page: Page; id: string } | undefined {
  const [, first = "", ...rest] = path.split("/");
  const page = PAGES.find((each) => each.path === `/${first}`);
  return page && { page, id: decoded(rest.join("/")) };
}
