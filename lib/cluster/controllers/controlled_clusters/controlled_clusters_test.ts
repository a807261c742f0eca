import assert from "node:assert/strict";
import { namesControlPlane } from "./controlled_clusters.ts";

Deno.test("an annotation names clusters, separated by commas, or all by a star", () => {
  for (const text of ["west", "east, west", "*", " west ,"]) {
    assert.equal(namesControlPlane(text, "west"), true, text);
  }
  for (const text of [undefined, "", ",", "east", "west-2"]) {
    assert.equal(namesControlPlane(text, "west"), false, `${text}`);
  }
  assert.equal(namesControlPlane(",", ""), false, "an empty name names nobody");
});
