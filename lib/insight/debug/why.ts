/**
 * `/debug/why`: the objects of a resource, and the decisions about it.
 *
 * @module
 */
import { rowRef } from "../../mesh/graph/mod.ts";
import type { SessionInfo } from "../../mesh/xds/mod.ts";
import { type Provenance, provenanceOf } from "../../mesh/translate/mod.ts";
import { json, type Route, text } from "../../kit/web/mod.ts";
import { debugRoute } from "./access.ts";
import { withProxy } from "./find.ts";
import type { DebugInputs } from "./inputs.ts";
import { nearNames } from "./near_names.ts";
import { objectRef, TYPE_URLS, xdsType } from "../../mesh/model/mod.ts";

/** `/debug/why?proxyID=NAME.NAMESPACE&type=TYPE&name=NAME`. */
export function whyRoutes(inputs: DebugInputs): Route[] {
  return [
    debugRoute("GET", "/debug/why", ({ url }) =>
      withProxy(inputs, url, (session) => {
        const wanted = url.searchParams.get("type") ?? "";
        const type = typeNamed(wanted);
        if (type === undefined) {
          return text(`unknown type ${wanted}; types are ${TYPE_NAMES.join(", ")}\n`, {
            status: 400,
          });
        }
        const name = url.searchParams.get("name") ?? "";
        if (name === "") return text("give the resource as ?name=NAME\n", { status: 400 });
        const why = whyOf(inputs, session, type, name);
        if (why !== undefined) return json(why);
        const near = nearNames(session.view(type)?.names() ?? [], name);
        const hint = near.length === 0
          ? "it sees none of this type"
          : `near it:\n  ${near.join("\n  ")}`;
        return text(`the proxy sees no ${wanted} named ${name}; ${hint}\n`, { status: 404 });
      })),
  ];
}

/** Returns the provenance of a proxy's resource; `undefined` if the proxy has no such resource. */
export function whyOf(
  inputs: Pick<DebugInputs, "mesh" | "objects">,
  session: Pick<SessionInfo, "view">,
  type: string,
  name: string,
): Provenance | undefined {
  const view = session.view(type);
  const { mesh } = inputs;
  return view && provenanceOf({ mesh, view, type, name, objectOf: objectFinder(inputs) });
}

/** Like {@link whyOf}, including the virtual hosts of a route table that are served by VHDS. */
export function whyWhole(
  inputs: Pick<DebugInputs, "mesh" | "objects">,
  session: Pick<SessionInfo, "view">,
  type: string,
  name: string,
): readonly Provenance[] {
  const own = whyOf(inputs, session, type, name);
  const apart = type === TYPE_URLS.route ? session.view(TYPE_URLS.virtualHost) : undefined;
  const parts = [...apart?.names() ?? []]
    .filter((part) => part.slice(0, part.lastIndexOf("/")) === name).sort()
    .map((part) => whyOf(inputs, session, TYPE_URLS.virtualHost, part));
  return [own, ...parts].filter((why) => why !== undefined);
}

/** Finds objects in their current state, with lines of files. */
export function objectFinder(
  { objects }: Pick<DebugInputs, "objects">,
): Parameters<typeof provenanceOf>[0]["objectOf"] {
  let byRef: Map<string, ReturnType<typeof objects>[number]> | undefined;
  return (kind, key) => {
    byRef ??= new Map(
      objects().map((o) => [objectRef(o), o]),
    );
    return byRef.get(rowRef({ table: kind, key }));
  };
}

const TYPE_NAMES = Object.keys(TYPE_URLS);

/** Returns the URL of a type by its URL, short name (`cds`) or word (`cluster`). */
export function typeNamed(name: string): string | undefined {
  return Object.entries(TYPE_URLS)
    .find(([word, url]) => word === name || url === name || xdsType(url).short === name)?.[1];
}
