// Every setting with what it does; a change goes into the user's own file and is checked first.
import { useLoad } from "../../api.ts";
import { Loaded } from "../../components/loaded.tsx";
import type { Setting } from "../../wire.ts";
import { groupsOf } from "./groups.ts";
import { SettingRow } from "./row.tsx";
import "./settings.css";

interface Settings {
  results: Setting[];
  problems: string[];
  files: { user: string };
}

export function SettingsPage() {
  const settings = useLoad<Settings>(() => "/api/settings");
  return (
    <div class="page narrow-page">
      <header class="page-head">
        <h1>Settings</h1>
      </header>
      <Loaded from={settings}>
        {({ data }) => (
          <>
            {data.problems.map((problem) => (
              <p key={problem} class="problem" role="alert">
                {problem}
              </p>
            ))}
            {groupsOf(data.results).map(({ name, settings: some }) => (
              <section key={name} class="setting-group">
                <h2>{name}</h2>
                <ul>
                  {some.map((setting) => (
                    <SettingRow key={setting.key} setting={setting} changed={settings.reload} />
                  ))}
                </ul>
              </section>
            ))}
            <p class="muted">
              They are kept in <code>{data.files.user}</code>; what the environment sets goes before them.
            </p>
          </>
        )}
      </Loaded>
    </div>
  );
}
