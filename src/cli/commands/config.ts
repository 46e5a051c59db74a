// c-mem config: shows all settings or one; sets or unsets one in the user's file.
import { findSettingKey, joinWords } from "../../config/write.ts";
import { AppError } from "../../core/error.ts";
import type { AnyQuery } from "../../queries/query.ts";
import { changeSetting, setting, settings, unsetSetting } from "../../queries/settings.ts";
import { defineCommand, runQuery } from "../command.ts";

export const command = defineCommand({
  about: "show settings, or get, set and unset one",
  fields: {
    action: {
      kind: "text",
      position: "[action]",
      choices: ["get", "set", "unset"],
      about: "what to do (default: show all settings)",
    },
    key: { kind: "text", position: "[key]", about: "the setting's name" },
    value: { kind: "list", position: "[value...]", about: "its new value; several words for a list" },
  },
  run({ action, key, value = [] }, invocation) {
    const run = (query: AnyQuery, input: Record<string, unknown>) =>
      runQuery(query, input, invocation, { opensStore: false });
    if (action === undefined) return run(settings, {});
    if (key === undefined || (action === "set") !== value.length > 0) {
      const needed = action === "set" ? "a key and a value" : "one key";
      throw new AppError("usage", `\`c-mem config ${action}\` takes ${needed}.`);
    }
    if (action === "get") return run(setting, { key });
    if (action === "unset") return run(unsetSetting, { key });
    return run(changeSetting, { key, value: joinWords(findSettingKey(key), value) });
  },
});
