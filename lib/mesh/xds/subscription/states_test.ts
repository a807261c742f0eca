import assert from "node:assert/strict";
import { ANSWERS, CONTENT, next, REMOVALS, SEARCH } from "./states.ts";

const PAGE = new URL("../../../../docs/serving.md", import.meta.url);

/** The rows of the tables on the page: state, event, next state. */
async function documented(): Promise<string[][]> {
  const rows = (await Deno.readTextFile(PAGE)).matchAll(
    /^\| `(\w+)` +\| `(\w+)` +\| `(\w+)` +\|$/gm,
  );
  return [...rows].map(([, state, event, after]) => [state!, event!, after!]);
}

Deno.test("the states of a subscription are those of docs/serving.md", async () => {
  const rows = [CONTENT, ANSWERS, SEARCH, REMOVALS].flatMap((machine) =>
    Object.entries(machine).flatMap(([state, events]) =>
      Object.entries(events).map(([event, after]) => [state, event, after as string])
    )
  );
  assert.deepEqual(await documented(), rows);
});

Deno.test("an event that cannot occur in a state is an error", () => {
  assert.equal(next(CONTENT, "due", "planned"), "current");
  assert.throws(() => next(CONTENT, "current", "planned"), /event planned in the state current/);
  assert.throws(() => next(ANSWERS, "none", "accepted"), /event accepted in the state none/);
});
