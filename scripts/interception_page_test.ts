import assert from "node:assert/strict";
import { PAGE, withTables } from "./interception_page.ts";

Deno.test("docs/interception.md has the tables of the plan", async () => {
  const page = await Deno.readTextFile(PAGE);
  assert.equal(page, withTables(page), "run `deno task docs`");
  assert.match(
    page,
    /\| from the workload to outside +\| nat OUTPUT → nat MESH_OUTPUT → nat MESH_REDIRECT/,
  );
});
