// The Agent SDK's npm package: a pinned version with its checksums, in the data directory.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Paths } from "../../config/paths.ts";
import { asObject, asString, parseJson } from "../../core/json.ts";
import { readText } from "../../platform/read-file.ts";

const NAME = "@anthropic-ai/claude-agent-sdk";
export const AGENT_SDK_VERSION = "0.3.328";
export const AGENT_SDK = `${NAME}@${AGENT_SDK_VERSION}`;

/** SHA-512 of the package ("") and of each platform's program. npm rejects a download with another one. */
const INTEGRITY: Readonly<Record<string, string>> = {
  "": "sha512-YcOWlpXVm7etPjPVrvSJEfynDksMiG11zvEybSBnk1EVWji6rSjU75HbbhJ8XPEB2ECEwRRP597Udu6IWMtsDw==",
  "darwin-arm64": "sha512-vjBASSSZFNs5M84XONCM4xAJMKPD0E9RtF0UDQ/a1Qqt5L+slNxhSADkH5n0tEM5HJMK7j9DCPi+0FVOBpZr3w==",
  "darwin-x64": "sha512-pkZuDNi16H4yJFo6cS2sw8mFj7m7ESAxV74t2gQ9EFzZOpXbQoJqhPBHNEZJ2q/+kr/3vHUtRc2W6jURA6nS+A==",
  "linux-arm64": "sha512-VvsUzOEf7r3ZtOPfliNGxqknsIvxEmnUOtQnq4+uw7MsfiALKR4s0bx2SP32UuXpqbmqxR1gn456D27XgsAmnA==",
  "linux-arm64-musl": "sha512-4Vui26/OZwr8AU7FpAt+R5s/1AKmj5qDorUZIqF1MMfdjAQf8/ut/+HyEkuMom/MVF2JeQLdvnFFFmbfgmAq/g==",
  "linux-x64": "sha512-saP4fWgVZj1n7MYCqvTKADHXIc/hIAMRDpLVpXD5xB0IT68vhWgIMkzIrsg5P02P6zA49TDuoijbP1YBUEXT4A==",
  "linux-x64-musl": "sha512-oJowzzjhWGbdBGyRjqV9CT0nfh4A4/fEI11LjX6b1SkhrNNgy9QT2HzSe8A2yNlliOWo1xJl6nAHT8pLwMNlVg==",
  "win32-arm64": "sha512-FkqzA++c+giPH2k8svb0egWDiGDkvSLQJTp5bq7QFXOxPEael4ct1yjKit/Yu6Sd48uLEgNT1waBYbyApPzhOw==",
  "win32-x64": "sha512-9Wd0XrZ0QWkgtcKxObcYDvUpQjUzN3Uq4Chbvu1SOWOoKPfQdD40dwRQMCeKx2KGxAfMrggJ7I3JYnvRWAFYjg==",
};

export function agentSdkFolder(paths: Paths): string {
  return join(paths.runtime, "agent-sdk");
}

/** "linux-x64" */
export const PLATFORM = `${process.platform}-${process.arch}`;

/** The SDK's module; undefined if this version or the program for this platform is not installed. */
export function findAgentSdk(paths: Paths): string | undefined {
  const folder = join(agentSdkFolder(paths), "node_modules", NAME);
  // On Linux there is one for each C library.
  const programs = ["", "-musl"].map((libc) => `${folder}-${PLATFORM}${libc}`);
  if (!programs.some((program) => existsSync(program))) return undefined;
  const version = asString(asObject(parseJson(readText(join(folder, "package.json"))))?.["version"]);
  const module = join(folder, "sdk.mjs");
  return version === AGENT_SDK_VERSION && existsSync(module) ? module : undefined;
}

/** Files for `npm ci`: the package without its peers, which it has bundled, and the program of this platform. */
export function packageFiles(): Record<string, object> {
  const manifest = { name: "c-mem-agent-sdk", private: true, dependencies: { [NAME]: AGENT_SDK_VERSION } };
  const platforms = Object.keys(INTEGRITY).filter((platform) => platform !== "");
  const packages = Object.entries(INTEGRITY).map(([platform, integrity]) => {
    const [os, cpu, libc] = platform.split("-");
    const isFor = { os: [os], cpu: [cpu], ...(os === "linux" && { libc: [libc ?? "glibc"] }), optional: true };
    const optionalDependencies = Object.fromEntries(
      platforms.map((suffix) => [`${NAME}-${suffix}`, AGENT_SDK_VERSION]),
    );
    const name = platform === "" ? NAME : `${NAME}-${platform}`;
    const entry = { version: AGENT_SDK_VERSION, integrity, ...(platform === "" ? { optionalDependencies } : isFor) };
    return [`node_modules/${name}`, entry];
  });
  const lock = {
    name: manifest.name,
    lockfileVersion: 3,
    requires: true,
    packages: { "": manifest, ...Object.fromEntries(packages) },
  };
  return { "package.json": manifest, "package-lock.json": lock };
}
