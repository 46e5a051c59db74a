// Light, dark, or as the system has it; the choice is kept in the browser.
import { effect, signal } from "@preact/signals";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const KEY = "c-mem.theme";

export const theme = signal<Theme>("system");

export function startTheme(): void {
  theme.value = THEMES.find((each) => each === localStorage.getItem(KEY)) ?? "system";
  effect(() => {
    if (theme.value === "system") document.documentElement.removeAttribute("data-theme");
    else document.documentElement.dataset["theme"] = theme.value;
    localStorage.setItem(KEY, theme.value);
  });
}
