// The page people look at. Where things are:
//
//   main.tsx         starts it
//   app.tsx          the shell: navigation, theme switch, the page of the address
//   routes.ts        which address shows which page; a new page is one line here and one file in pages/
//   router.ts        addresses without reloading: `route`, `navigate`, `setQuery` (filters live in the address, so a reload keeps them)
//   api.ts           the one way to load (`useLoad`, shown by <Loaded>) and to change (`send`) what the worker knows
//   wire.ts          the replies' types; a reply is what the same command prints with --json
//   stream.ts        what happens while one looks: `onLive`, `connection`, `queue`
//   theme.ts         light, dark, or as the system has it
//   format.ts        numbers, times and names as people read them
//   components/      what pages are made of; look here before writing markup
//   styles/          tokens.css (every colour, size and duration there is), base.css, shell.css, components.css
//   pages/           one file per page with its own .css beside it, loaded when it is first shown
//
// Rules: no style attribute in markup strings and no inline script (the content security policy forbids both; Preact's
// `style={{}}` goes through the CSSOM and is fine); recorded text is shown as text, or through <Markdown>, which sanitises; every
// page has an <h1>, says what is loading, what went wrong and what to do when there is nothing; nothing moves under the reader.
import { render } from "preact";
import { App } from "./app.tsx";
import { startRouter } from "./router.ts";
import { startTheme } from "./theme.ts";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/shell.css";
import "./styles/components.css";

startTheme();
startRouter();
const root = document.getElementById("app");
if (root !== null) render(<App />, root);
