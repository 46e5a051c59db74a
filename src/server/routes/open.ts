// The link that signs a browser in. It is created with the token, works once, and expires after a minute.
import type { Hono } from "hono";
import { setCookie } from "hono/cookie";
import * as z from "zod";
import { AppError } from "../../core/error.ts";
import { COOKIE_SECONDS, cookieName } from "../access.ts";
import type { Host } from "../host.ts";
import { replyError } from "../reply.ts";
import { route } from "../route.ts";

export const LINK_ROUTE = route({
  method: "post",
  path: "/api/links",
  command: "open",
  tag: "access",
  about: "Create a link that signs a browser in, once, within a minute.",
  reply: () => ({ data: z.strictObject({ url: z.string(), seconds: z.int() }) }),
  run: ({ host }) => ({
    data: { url: `http://127.0.0.1:${host.port()}/open?code=${host.access.makeCode()}`, seconds: 60 },
  }),
});

/** Not in the table of routes, because only browsers open it. */
export function addOpenLink(app: Hono, host: Host): void {
  app.get("/open", (http) => {
    if (!host.access.useCode(http.req.query("code") ?? "")) {
      host.access.countRefusal(performance.now());
      // A browser gets the page, which shows instructions if the browser is not signed in.
      if (http.req.header("Accept")?.includes("text/html") === true) return http.redirect("/", 303);
      const hint = "Run `c-mem open` again: a link works once, for a minute.";
      return replyError(http, "open", new AppError("unauthorized", "This link has expired.", { hint }), host);
    }
    setCookie(http, cookieName(host.port()), host.access.makeCookie(Date.now()), {
      httpOnly: true,
      sameSite: "Strict",
      path: "/",
      maxAge: COOKIE_SECONDS,
    });
    // If another site led here, the redirected request lacks the strict cookie; the page's own requests have it.
    return http.redirect("/", 303);
  });
}
