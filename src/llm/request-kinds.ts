// Kinds of requests to a model, as in the ledger, with names for people.

const KINDS: Readonly<Record<string, string>> = {
  turns: "notes about turns",
  session: "session summaries",
  test: "tests (doctor --try-model)",
};

export function requestKindLabel(kind: string): string {
  return KINDS[kind] ?? kind;
}
