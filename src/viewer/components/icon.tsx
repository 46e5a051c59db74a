// Icons: line drawings of 16 px in the colour of the text around them.

const PATHS = {
  now: "M8 2v2M8 12v2M2 8h2M12 8h2M8 5.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9M10.5 10.5 14 14",
  sessions: "M2.5 4h11M2.5 8h11M2.5 12h7",
  memory: "M4 2.5h8v11l-4-2.8-4 2.8z",
  files: "M4 1.8h5.2L12.5 5v9.2H4zM9 2v3.2h3.2",
  efforts: "M4 3v10M4 8h5a3 3 0 0 0 3-3V3M2.5 3h3M2.5 13h3M10.5 3h3",
  insight: "M2.5 13.5h11M4.5 11V8M8 11V3.5M11.5 11V6",
  context: "M2.5 3.5h11v7h-6l-3 2.5v-2.5h-2z",
  settings:
    "M2.5 5h6M12 5h1.5M2.5 11H4M7.5 11h6M10.2 3.3a1.7 1.7 0 1 0 0 3.4 1.7 1.7 0 0 0 0-3.4M5.8 9.3a1.7 1.7 0 1 0 0 3.4 1.7 1.7 0 0 0 0-3.4",
  health: "M1.8 8h3l2-4.5 2.6 9L11.4 8h2.8",
  menu: "M2.5 4.5h11M2.5 8h11M2.5 11.5h11",
  close: "M3.5 3.5l9 9M12.5 3.5l-9 9",
  chevron: "M6 4l4 4-4 4",
  sun: "M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6M8 1.5v1M8 13.5v1M1.5 8h1M13.5 8h1M3.4 3.4l.7.7M11.9 11.9l.7.7M12.6 3.4l-.7.7M4.1 11.9l-.7.7",
  moon: "M13 9.6A5.6 5.6 0 0 1 6.4 3 5.6 5.6 0 1 0 13 9.6",
  system: "M2 3h12v8H2zM6 13.5h4M8 11v2.5",
  thinking: "M5.8 12h4.4M6.5 14h3M8 2a4 4 0 0 0-2.2 7.3V10.5h4.4V9.3A4 4 0 0 0 8 2",
  agent: "M8 2.5a2 2 0 1 0 0 4 2 2 0 0 0 0-4M3.5 13.5a4.5 4.5 0 0 1 9 0",
  commit: "M8 5.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5M1.5 8h4M10.5 8h4",
  play: "M5 3.5l7.5 4.5L5 12.5z",
  pause: "M5.5 3.5v9M10.5 3.5v9",
  warning: "M8 2.5 14 13H2zM8 6.5v3M8 11.2v.1",
  pin: "M5.5 2.5h5l-.7 4.2 2.2 2.3H4l2.2-2.3zM8 9v4.5",
  up: "M8 12.5v-9M4.5 7 8 3.5 11.5 7",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
