/**
 * History of changes, for proxies and for the mesh, and results of the audit: JSON for scripts,
 * pages for browsers.
 *
 * @module
 */
import { diffResource } from "../diff/mod.ts";
import type { Resource } from "../../mesh/graph/mod.ts";
import type { History, Revision } from "../history/mod.ts";
import type { SessionInfo } from "../../mesh/xds/mod.ts";
import { json, type Route, text } from "../../kit/web/mod.ts";
import { debugRoute } from "./access.ts";
import { withProxy } from "./find.ts";
import { findProxy } from "./proxies.ts";
import type { DebugInputs } from "./inputs.ts";
import {
  auditPage,
  changesPage,
  noProxyPage,
  notFoundPage,
  type ProxyChange,
  revisionPage,
  type Shell,
  shellOf,
  wantsPage,
} from "./pages/mod.ts";

/**
 * `/debug/history`: the latest pushes (`limit=`), one of them (`revision=`), the resources of a
 * proxy at a revision or now (`proxyID=&revision=`, a number or `latest`), or their differences
 * between two revisions (`proxyID=&from=&to=`). `/debug/samples`: samples of the last
 * hour. `/debug/audit`: state of the audit.
 */
export function historyRoutes(inputs: DebugInputs): Route[] {
  const { history, audit } = inputs;
  return [
    debugRoute("GET", "/debug/history", ({ url, request }) => {
      const shell = wantsPage(request) ? shellOf(inputs, url) : undefined;
      const proxy = url.searchParams.get("proxyID");
      if (proxy !== null) {
        if (shell !== undefined && findProxy(inputs, proxy) === undefined) {
          return noProxyPage(inputs, url, proxy);
        }
        return withProxy(inputs, url, (session) => ofProxy(history, session, url, shell));
      }
      const revision = numberOf(url, "revision");
      if (revision === undefined) return json(latest(history, numberOf(url, "limit")));
      const found = history.revision(revision);
      if (found === undefined) return forgotten(shell);
      return shell === undefined ? json(found) : revisionPage(shell, inputs, found);
    }),
    debugRoute("GET", "/debug/samples", () => json(inputs.samples())),
    debugRoute("GET", "/debug/audit", ({ request, url }) => {
      const summary = audit();
      return wantsPage(request) ? auditPage(shellOf(inputs, url), summary) : json(summary);
    }),
  ];
}

function numberOf(url: URL, name: string): number | undefined {
  const given = url.searchParams.get(name);
  return given !== null && /^\d{1,15}$/.test(given) ? Number(given) : undefined;
}

/** Responds for a revision that is not stored: with a page if there is a shell. */
function forgotten(shell: Shell | undefined): Response {
  if (shell === undefined) {
    return text("nothing is known of that revision, or not any more\n", { status: 404 });
  }
  return notFoundPage(shell, {
    at: "/debug/pushes",
    title: "Unknown revision",
    sentence: "This revision was not published, or it is no longer stored. The page of pushes " +
      "lists the latest ones.",
  });
}

/** Default number of pushes. */
const LATEST = 100;

/** Omits the resources, because one push may have changed thousands. */
function latest(history: History, limit: number = LATEST): Omit<Revision, "changes">[] {
  return history.revisions(limit).map(({ changes: _, ...rest }) => rest);
}

function ofProxy(
  history: History,
  session: SessionInfo,
  url: URL,
  shell: Shell | undefined,
): Response {
  const at = numberOf(url, "revision");
  const [from, to] = [numberOf(url, "from"), numberOf(url, "to")];
  if (from !== undefined && to !== undefined) {
    const changes = changesBetween(history, session, from, to);
    if (changes === undefined) return forgotten(shell);
    return shell === undefined
      ? json({ from, to, changes })
      : changesPage(shell, session, { from, to, changes });
  }
  const isLatest = url.searchParams.get("revision") === "latest";
  if (at === undefined && !isLatest) {
    return text("give revision=, or from= and to=, beside proxyID=\n", { status: 400 });
  }
  const resources: Record<string, { name: string; version: string; bytes: number }[]> = {};
  for (const { typeUrl, view } of session.types) {
    const content = at === undefined
      ? [...view?.entries() ?? []]
      : view && history.at(at, view)?.values();
    if (view !== undefined && content === undefined) return forgotten(undefined);
    resources[typeUrl] = [...content ?? []].sort(byName)
      .map(({ name, version, bytes }) => ({ name, version, bytes: bytes.length }));
  }
  return json({ revision: at ?? "latest", resources });
}

function byName(a: Resource, b: Resource): number {
  return a.name < b.name ? -1 : 1;
}

/** Maximum number of resources with a list of fields; for others only the change is reported. */
const TOLD = 200;

function changesBetween(
  history: History,
  session: SessionInfo,
  from: number,
  to: number,
): ProxyChange[] | undefined {
  const found: ProxyChange[] = [];
  for (const { typeUrl, short, view } of session.types) {
    if (view === undefined) continue;
    const diff = history.diff(from, to, view);
    if (diff === undefined) return undefined;
    const add = (before: Resource | undefined, after: Resource | undefined) => {
      const fields = found.length < TOLD ? diffResource(typeUrl, before?.bytes, after?.bytes) : [];
      const change = before === undefined ? "added" : after === undefined ? "removed" : "changed";
      found.push({ short, typeUrl, name: (before ?? after)!.name, change, fields });
    };
    for (const resource of diff.added) add(undefined, resource);
    for (const { before, after } of diff.changed) add(before, after);
    for (const resource of diff.removed) add(resource, undefined);
  }
  return found;
}
