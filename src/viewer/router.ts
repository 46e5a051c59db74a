// Addresses without reloading: the route is a signal, links are ordinary links.
import { signal } from "@preact/signals";

export interface Route {
  path: string;
  query: URLSearchParams;
  hash: string;
}

export const route = signal<Route>({ path: "/", query: new URLSearchParams(), hash: "" });

export function startRouter(): void {
  // Pages come after the address: the browser would look for the place before there is one.
  history.scrollRestoration = "manual";
  read();
  addEventListener("popstate", read);
  document.addEventListener("click", followLink);
}

export interface NavigateOptions {
  /** Without an entry of its own in the history: filters while they are typed. */
  replace?: boolean;
  state?: unknown;
}

export function navigate(address: string, { replace = false, state = null }: NavigateOptions = {}): void {
  const before = route.peek().path;
  if (replace) history.replaceState(state, "", address);
  else history.pushState(state, "", address);
  read();
  if (route.peek().path !== before && route.peek().hash === "") scrollTo(0, 0);
}

/** Changes parts of the query; an empty value takes the part out. */
export function setQuery(
  parts: Record<string, string | undefined>,
  options: NavigateOptions = { replace: true },
): void {
  const { path, query } = route.peek();
  const next = new URLSearchParams(query);
  for (const [name, value] of Object.entries(parts)) {
    if (value === undefined || value === "") next.delete(name);
    else next.set(name, value);
  }
  navigate(withQuery(path, next), options);
}

/** An address of the page or of the API, with what is set of the query. */
export function withQuery(path: string, query: URLSearchParams | Record<string, string | number | undefined>): string {
  const params =
    query instanceof URLSearchParams
      ? query
      : new URLSearchParams(
          Object.entries(query).flatMap(([name, value]) =>
            value === undefined || value === "" ? [] : [[name, String(value)]],
          ),
        );
  const text = params.toString();
  return text === "" ? path : `${path}?${text}`;
}

function read(): void {
  route.value = {
    path: location.pathname.replace(/(?<=.)\/+$/, ""),
    query: new URLSearchParams(location.search),
    hash: decoded(location.hash.slice(1)),
  };
}

/** A part of an address as it was meant; one that somebody cut or mistyped ("%zz") as it stands. */
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
