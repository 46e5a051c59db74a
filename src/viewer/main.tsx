// Starts the viewer, the web page that `c-mem open` shows.
//
//   app.tsx      navigation and theme           routes.ts  finds the page of an address
//   router.ts    navigates without reloading    api.ts     loads and changes data: `useLoad`, `send`
//   components/  components of several pages    pages/     the pages
//   stream.ts    receives live events
//   styles/      tokens (colours, sizes), base elements, shell, components shared by pages, pages
//
// The content security policy forbids inline scripts, and style attributes in HTML strings (`style={{}}` is allowed).
// Recorded text is rendered as text or with <Markdown>, which sanitises it. Every page has exactly one <h1>.
import { render } from "preact";
import { App, startTheme } from "./app.tsx";
import { startRouter } from "./router.ts";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/components.css";
import "./styles/shell.css";
import "./styles/pages.css";
import "./styles/session.css";

startTheme();
startRouter();
const root = document.getElementById("app");
if (root !== null) render(<App />, root);
