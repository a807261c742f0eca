/**
 * Page of one resource of a proxy: its content, its origins, and the other proxies that have it.
 *
 * @module
 */
import { showResource } from "../../diff/mod.ts";
import type { Resource, View } from "../../../mesh/graph/mod.ts";
import type { SessionInfo, TypeStatus } from "../../../mesh/xds/mod.ts";
import { type ComponentChildren, type Route } from "../../../kit/web/mod.ts";
import { debugRoute } from "../access.ts";
import { isDumped } from "../config_dump.ts";
import { asksFor } from "../find.ts";
import type { DebugInputs } from "../inputs.ts";
import { nearNames } from "../near_names.ts";
import { findProxy, proxyId } from "../proxies.ts";
import { whyOf } from "../why.ts";
import { jsonTree } from "./collapse.ts";
import { debugPage, notFoundPage, shellOf } from "./frame.ts";
import { noProxyPage } from "./near_pages.ts";
import { badge, count, facts, h, pathOf, proxyLink, size } from "./layout.ts";
import { whyPart } from "./why_part.ts";

/** `/debug/proxies/:proxy/:type/:name`. */
export function resourcePages(inputs: DebugInputs): Route[] {
  return [
    debugRoute("GET", "/debug/proxies/:proxy/:type/:name", ({ params, url }) => {
      const { proxy = "", type: short = "", name = "" } = params;
      const session = findProxy(inputs, proxy);
      if (session === undefined) return noProxyPage(inputs, url, proxy);
      const type = session.types.find((t) => t.short === short);
      const resource = type?.view?.get(name);
      return type === undefined || resource === undefined
        ? noResourcePage(inputs, url, session, { short, name })
        : resourcePage(inputs, url, session, { type, resource });
    }),
  ];
}

/** Shows the near names of a type, or the types if there is no such type. */
function noResourcePage(
  inputs: DebugInputs,
  url: URL,
  session: SessionInfo,
  { short, name }: { readonly short: string; readonly name: string },
): Response {
  const id = proxyId(session);
  const type = session.types.find((t) => t.short === short);
  const types = session.types.map((t) => t.short);
  return notFoundPage(shellOf(inputs, url), {
    at: "/debug/proxies",
    below: [[id, pathOf("proxies", id)]],
    title: name,
    sentence: type === undefined
      ? `The proxy is not subscribed to a type ${short}; its types are ${types.join(", ")}.`
      : `The proxy has no resource of type ${short} with this name.`,
    near: nearNames(type?.view?.names() ?? [], name)
      .map((one) => h("a", { href: pathOf("proxies", id, short, one) }, one)),
  });
}

/** Size in bytes above which a resource is not shown, because the page would be too large. */
const LARGE = 1_000_000;

function resourcePage(
  inputs: DebugInputs,
  url: URL,
  session: SessionInfo,
  { type, resource }: { readonly type: TypeStatus; readonly resource: Resource },
): Response {
  const id = proxyId(session);
  const large = resource.bytes.length > LARGE;
  const why = large ? undefined : whyOf(inputs, session, type.typeUrl, resource.name);
  const { holders, others } = holdersOf(inputs, type.typeUrl, resource);
  return debugPage(shellOf(inputs, url), {
    title: resource.name,
    at: "/debug/proxies",
    below: [[id, pathOf("proxies", id)], [
      type.short,
      `${pathOf("proxies", id)}?type=${type.short}`,
    ]],
    body: [
      facts([
        ["Type", h("code", null, type.typeUrl)],
        ["Version", h("code", null, resource.version)],
        ["Size", size(resource.bytes.length)],
        ["Last change", changedAt(type.view!, resource.name)],
        ["As JSON", h("a", { href: dumpOf(id, type.typeUrl, resource.name) }, "with why")],
      ]),
      why === undefined ? null : whyPart(why),
      holderList(holders),
      others.length === 0 ? null : h("p", null, [
        badge("differs", "warn"),
        ` for ${others.length} proxies, for example `,
        proxyLink(others[0]!),
      ]),
      h("h2", { id: "content" }, "Content"),
      large
        ? h("p", null, "It is too large for this page; the JSON above is complete.")
        : jsonTree(showResource(type.typeUrl, resource.bytes), "Content as JSON"),
    ],
  });
}

/**
 * Returns the URL of the JSON with the resource and its explanation; only the explanation for types
 * without a dump.
 */
function dumpOf(id: string, typeUrl: string, name: string): string {
  if (!isDumped(typeUrl)) {
    return `/debug/why?${new URLSearchParams({ proxyID: id, type: typeUrl, name })}`;
  }
  const query = new URLSearchParams({ proxyID: id, types: typeUrl, name, why: "true" });
  return `/debug/config_dump?${query}`;
}

/** Layers record changes since they were built, as far as their logs go back. */
function changedAt(view: View, name: string): string {
  const layer = view.layers.find((one) => one.get(name) !== undefined);
  if (layer === undefined) return "unknown";
  // The earliest revision of the log is in between.
  let [unknown, known] = [-1, layer.changedAt];
  while (known - unknown > 1) {
    const middle = (known + unknown) >> 1;
    if (layer.since(middle) === undefined) unknown = middle;
    else known = middle;
  }
  const entry = layer.since(known)?.findLast((one) => one.name === name);
  return entry === undefined
    ? "not since its layer was built, or too long ago"
    : `revision ${entry.revision}`;
}

/** Returns the proxies with the same version of a resource, and those with another version. */
function holdersOf(
  inputs: DebugInputs,
  typeUrl: string,
  { name, version }: Resource,
): { readonly holders: string[]; readonly others: string[] } {
  const versions = new Map<View, string | undefined>();
  const [holders, others]: [string[], string[]] = [[], []];
  for (const session of inputs.sessions()) {
    const view = session.types.find((t) => t.typeUrl === typeUrl)?.view;
    if (view === undefined || !asksFor(session, typeUrl)(name)) continue;
    if (!versions.has(view)) versions.set(view, view.get(name)?.version);
    const seen = versions.get(view);
    if (seen === version) holders.push(proxyId(session));
    else if (seen !== undefined) others.push(proxyId(session));
  }
  return { holders: holders.sort(), others: others.sort() };
}

/** Maximum number of named proxies; the rest is counted. */
const NAMED = 20;

function holderList(holders: readonly string[]): ComponentChildren {
  const more = holders.length - NAMED;
  return h("section", null, [
    h(
      "h2",
      null,
      `Held by ${count(holders.length, "proxy", "proxies")}${
        more > 0 ? `, the first ${NAMED}` : ""
      }`,
    ),
    holders.length === 0 ? h("p", null, "No proxy is subscribed to it.") : h(
      "ul",
      { class: "list" },
      holders.slice(0, NAMED).map((id) => h("li", null, proxyLink(id))),
    ),
  ]);
}
