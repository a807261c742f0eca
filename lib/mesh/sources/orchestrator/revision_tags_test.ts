import assert from "node:assert/strict";
import { isOfRevision, revisionTags, type TagItem } from "./revision_tags.ts";

function tag(name: string, labels: Record<string, string>, deletionTimestamp?: string): TagItem {
  return {
    metadata: { name, labels, ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }) },
  };
}

const BLUE = { "mesh.io/tag": "default", "mesh.io/rev": "blue" };
const GREEN = { ...BLUE, "mesh.io/rev": "green" };

Deno.test("a tag names a revision; without a tag there is none", () => {
  const of = (...webhooks: TagItem[]) =>
    revisionTags({ services: [], webhooks }).get("default") ?? "";
  assert.equal(of(), "");
  assert.equal(of(tag("mesh-revision-tag-default", BLUE)), "blue");
  assert.equal(of(tag("mesh-revision-tag-prod", { ...BLUE, "mesh.io/tag": "prod" })), "");
  assert.equal(of(tag("a", { "mesh.io/tag": "default" })), "", "a tag without a revision");
  assert.equal(of(tag("a", { ...BLUE, "mesh.io/rev": "" })), "", "an empty revision");
  assert.equal(of(tag("b", GREEN), tag("a", BLUE)), "blue", "the first name decides");
});

Deno.test("deactivated and deleted tags do not count; Services precede webhooks", () => {
  const webhooks = [
    tag("a", { ...BLUE, "mesh.io/deactivated": "never-match" }),
    tag("b", BLUE, "2026-01-01T00:00:00Z"),
    tag("c", GREEN),
  ];
  assert.equal(revisionTags({ services: [], webhooks }).get("default"), "green");
  const services = [tag("meshd-revision-tag-default", BLUE)];
  assert.equal(revisionTags({ services, webhooks }).get("default"), "blue");
});

Deno.test("a label of a revision is that of the revision, of a tag that points to it, or none", () => {
  const tags = new Map([["prod", "blue"], ["test", "green"]]);
  const own = ["blue", "prod", "", undefined];
  assert.deepEqual(own.filter((label) => !isOfRevision(label, "blue", tags)), []);
  const others = ["green", "test", "unknown", 1, null];
  assert.deepEqual(others.filter((label) => isOfRevision(label, "blue", tags)), []);
});
