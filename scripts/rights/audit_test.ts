import assert from "node:assert/strict";
import { defaultRoleOptions, readerRoles } from "../../lib/cluster/roles/mod.ts";
import { DAEMON_USER } from "../cluster/files.ts";
import { rightsOf, usedRights } from "./audit.ts";

const USER = DAEMON_USER;

function event(verb: string, objectRef: Record<string, string>, code = 200, username = USER) {
  return JSON.stringify({ verb, user: { username }, objectRef, responseStatus: { code } });
}

Deno.test("requests use rights; an object that server-side apply makes needs two", () => {
  const lines = [
    event("list", { resource: "pods" }),
    event("watch", { resource: "endpointslices", apiGroup: "discovery.k8s.io" }),
    event("patch", { resource: "services", subresource: "status" }),
    event("patch", { resource: "deployments", apiGroup: "apps" }, 201),
    event("patch", { resource: "configmaps" }),
    "",
  ];
  assert.deepEqual([...usedRights(lines, USER)].sort(), [
    "create deployments.apps",
    "list pods",
    "patch configmaps",
    "patch deployments.apps",
    "patch services/status",
    "watch endpointslices.discovery.k8s.io",
  ]);
});

Deno.test("refused requests, those of others, and requests without a resource use no right", () => {
  const lines = [
    event("list", { resource: "pods" }, 403),
    event("list", { resource: "pods" }, 200, "system:serviceaccount:mesh-system:other"),
    JSON.stringify({ verb: "get", user: { username: USER }, requestURI: "/version" }),
  ];
  assert.deepEqual([...usedRights(lines, USER)], []);
});

Deno.test("rights of roles are single verbs of single resources", () => {
  const rights = rightsOf(readerRoles(defaultRoleOptions()));
  assert.ok(rights.includes("list pods"));
  assert.ok(rights.includes("watch endpointslices.discovery.k8s.io"));
  assert.ok(rights.includes("create tokenreviews.authentication.k8s.io"));
  assert.equal(new Set(rights).size, rights.length);
});
