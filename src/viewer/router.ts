// Navigates without reloading the page. `route` is a signal with the address; links are ordinary <a> elements.
import { signal } from "@preact/signals";

interface Route {
  path: string;
  query: URLSearchParams;
  hash: string;
}

export const route = signal<Route>({ path: "/", query: new URLSearchParams(), hash: "" });

export function startRouter(): void {
  // Otherwise the browser restores the scroll position before the page has loaded its content.
  history.scrollRestoration = "manual";
  readAddress();
  addEventListener("popstate", readAddress);
  document.addEventListener("click", followLink);
}

export function navigate(address: string, { replace = false }: { replace?: boolean } = {}): void {
  const before = route.peek().path;
  if (replace) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
  readAddress();
  if (route.peek().path !== before && route.peek().hash === "") scrollTo(0, 0);
}

/** Changes parameters of the query without a new history entry. Empty and undefined values remove the parameter. */
export function setQuery(changes: Record<string, string | undefined>): void {
  const { path, query } = route.peek();
  navigate(withQuery(path, { ...Object.fromEntries(query), ...changes }), { replace: true });
}

/** Adds the query to a path, without its empty and undefined values. */
export function withQuery(path: string, query: Record<string, string | number | undefined>): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== "") params.set(name, String(value));
  return params.size === 0 ? path : `${path}?${params}`;
}

/** The address of a session, or of one of its items. */
export function sessionPath(id: string, item?: string | null): string {
  return `/sessions/${encodeURIComponent(id)}${item ? `#${item}` : ""}`;
}

function readAddress(): void {
  route.value = {
    path: location.pathname.replace(/(?<=.)\/+$/, ""),
    query: new URLSearchParams(location.search),
    hash: decoded(location.hash.slice(1)),
  };
}

/** Decodes a part of an address; returns it unchanged if it is malformed, such as "%zz". */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function followLink(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
    return;
  const link = (event.target as Element | null)?.closest?.("a");
  if (!link || link.target !== "" || link.hasAttribute("download") || link.origin !== location.origin) return;
  if (link.pathname.startsWith("/api/")) return;
  event.preventDefault();
  navigate(link.pathname + link.search + link.hash);
}
