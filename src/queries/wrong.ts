// Marks injected items as wrong or useless. Marked items are not injected again.
import { nothingFound, usageError } from "../core/error.ts";
import { oneLine } from "../core/text.ts";
import { resolveSession } from "../recall/search/find-session.ts";
import { transaction } from "../store/db/transaction.ts";
import type { Db } from "../store/db/driver.ts";
import { findItem, parseObservationId } from "../store/reads/items.ts";
import { sessionsByIds } from "../store/reads/session-list.ts";
import { getObservation } from "../store/tables/observations.ts";
import { projectIdOfSession } from "../store/tables/projects.ts";
import { deleteWrongItem, insertWrongItem, type WrongItem } from "../store/tables/wrong-items.ts";
import { fit } from "../platform/terminal/layout.ts";
import { fields } from "./fields.ts";
import { defineQuery } from "./query.ts";
import { schemaOf } from "./schemas.ts";

const ITEM = fields({
  id: {
    kind: "text",
    position: "<id>",
    values: "observations",
    required: true,
    about: "the #id of an injected line: o78, p12, m34, t56, a session",
  },
});

export const wrong = wrongQuery("put", "mark an injected line as wrong: never injected again");
export const undoWrong = wrongQuery("delete", "let a line that was marked as wrong be injected again");

function wrongQuery(method: "put" | "delete", about: string) {
  const isMark = method === "put";
  return defineQuery({
    name: "wrong",
    about,
    fields: ITEM,
    http: { method, path: "/api/items/:id/wrong", tag: "memory", announces: "observation" },
    reply: (z) => ({
      data: z.strictObject(schemaOf(z, { text: ["id", "title"], flag: ["marked_wrong", "is_changed"] })),
    }),
    run({ id }, { db }) {
      const { title, ...item } = findInjected(db, id.trim().replace(/^#/, ""));
      const isChanged = transaction(db, () =>
        isMark ? insertWrongItem(db, item, Date.now()) : deleteWrongItem(db, item),
      );
      return { data: { id: item.item, title, marked_wrong: isMark, is_changed: isChanged } };
    },
    text({ data: { id, title, is_changed: isChanged } }) {
      const name = [id, title && fit(title, 100)].filter(Boolean).join(": ");
      if (isMark) return `${isChanged ? "Marked as wrong" : "Already marked as wrong"}, not injected again: ${name}`;
      return `${isChanged ? "No longer marked as wrong" : "Was not marked as wrong"}: ${name}`;
    },
  });
}

/** `id` is as shown in an injected line: "o12", "i12" for an observation by title, "p3", "session:7", a session's id. */
function findInjected(db: Db, id: string): WrongItem & { title: string } {
  const observationId = parseObservationId(id.replace(/^i(?=\d)/, "o"));
  if (observationId !== undefined) {
    const row = getObservation(db, observationId);
    if (row === undefined) throw nothingFound(`No observation o${observationId}.`, "`c-mem observations` lists them.");
    const projectId = row.project_id ?? undefined;
    return { item: `o${row.id}`, projectId, contentHash: row.content_hash, title: row.title };
  }
  const item = findItem(db, id);
  if (item !== undefined) return { item: id, projectId: projectIdOfSession(db, item.session_db_id), title: "" };
  if (/^[pmt]\d+$/.test(id)) throw nothingFound(`No item ${id}.`, "`c-mem show` prints the ids of a session's items.");
  const numbered = /^session:(\d+)$/.exec(id)?.[1];
  const session = numbered === undefined ? namedSession(db, id) : sessionsByIds(db, [Number(numbered)])[0];
  if (session === undefined) throw nothingFound(`No session ${oneLine(id, 60)}.`, "`c-mem list` lists them.");
  return { item: `session:${session.id}`, projectId: projectIdOfSession(db, session.id), title: session.title ?? "" };
}

function namedSession(db: Db, id: string) {
  if (id === "last") throw usageError("Name the session by its id.", "`c-mem list` shows the ids.");
  return resolveSession(db, id, () => ({})).session;
}
