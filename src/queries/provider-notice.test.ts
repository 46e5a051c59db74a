import { expect, it } from "vitest";
import { SETTINGS, type SettingKey, type Settings } from "../config/schema.ts";
import { providerNotice } from "./provider-notice.ts";

const DEFAULTS = Object.fromEntries(
  Object.entries(SETTINGS).map(([key, { default: value }]) => [key, value]),
) as Settings;
const HERE = { PATH: "/nowhere", HOME: "/nowhere", C_MEM_HOME: "/nowhere" };

function notice(settings: Partial<Settings>, changed: SettingKey = "provider"): string | undefined {
  return providerNotice(changed, { ...DEFAULTS, ...settings }, HERE);
}

it.each<[Partial<Settings>, RegExp[]]>([
  [{ provider: "claude" }, [/to haiku through your Claude Code\./, /Price: \$0\.1 in/, /claude command was not found/]],
  [{ provider: "agent-sdk" }, [/Claude's Agent SDK, with the login/, /Run: c-mem model install --agent-sdk\./]],
  [{ provider: "anthropic" }, [/at https:\/\/api\.anthropic\.com\./, /ANTHROPIC_API_KEY is not set/]],
  [{ provider: "openrouter" }, [/at https:\/\/openrouter\.ai\/api\/v1\./, /OPENROUTER_API_KEY is not set/]],
  [{ provider: "gemini" }, [/at https:\/\/generativelanguage\./, /GEMINI_API_KEY is not set/, /Price: \$0\.3 in/]],
  [
    { provider: "ollama" },
    [
      /to a model at http:\/\/127\.0\.0\.1:11434\/v1\./,
      /tokens and \$1; for one project 500,000 and \$0\.50\./,
      /costs nothing per token/,
      /CONTEXT_LENGTH/,
      /config set model/,
    ],
  ],
  [{ provider: "openai", baseUrl: "http://localhost:1/v1", model: "mine" }, [/to mine at http/, /price is unknown/]],
])("the notice of %j says what is sent where, its price and what is missing", (settings, parts) => {
  for (const part of parts) expect(notice(settings)).toMatch(part);
});

it("there is no notice without a model, or if the change does not concern one", () => {
  expect(notice({ provider: "none" })).toBeUndefined();
  expect(notice({ provider: "claude" }, "searchLimit")).toBeUndefined();
});
