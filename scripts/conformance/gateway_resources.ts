/**
 * The corpus `gateway`: Gateways and VirtualServices that objects of the Gateway API become.
 *
 * @module
 */
import assert from "node:assert/strict";
import { fromJson, type JsonValue, toJson } from "../../lib/kit/proto/mod.ts";
import {
  bindGateway,
  bindRoute,
  convertGateway,
  convertRoute,
  type Gateway,
  isRouteKind,
  mergeAll,
  type Route,
} from "../../lib/mesh/gateway_api/mod.ts";
import type { ConfigObject } from "../../lib/mesh/model/mod.ts";
import { TABLED_KINDS, type TableKind } from "../../lib/mesh/schema/mod.ts";
import type { World } from "../../tests/support/gateway_api_world.ts";
import { documentsOf } from "./yaml_documents.ts";

interface Resource {
  readonly kind: string;
  readonly metadata: {
    readonly namespace: string;
    readonly name: string;
    readonly annotations?: unknown;
  };
  readonly spec: unknown;
}

/** Compares the resources of a world with those of a golden file. */
export function judgeResources(world: World, golden: string, domain: string): void {
  const wanted = documentsOf<Resource>(golden);
  assert.deepEqual(byName(resourcesOf(world, domain)), byName(wanted));
}

function byName(resources: readonly Resource[]): Record<string, unknown> {
  const named = resources.map(({ kind, metadata: { namespace, name, annotations }, spec }) =>
    [`${kind}/${namespace}/${name}`, JSON.parse(JSON.stringify({ annotations, spec }))] as const
  );
  return Object.fromEntries(named.toSorted(([a], [b]) => a < b ? -1 : 1));
}

/** The resources that the objects of a world become. */
function resourcesOf(world: World, domain: string): Resource[] {
  const names = world.objects.map(({ meta }) => meta.namespace);
  const look = { ...world, namespaces: () => [...new Set(names)].toSorted() };
  const gateways = world.of<Gateway>("Gateway").flatMap((one) => {
    const bound = bindGateway(one, world);
    return bound === undefined ? [] : convertGateway(one, bound, domain, look);
  });
  const routes = (world.objects as Route[]).filter(({ meta }) => isRouteKind(meta.kind))
    .map((one) => {
      const context = { domain, look: world, experimental: true };
      return convertRoute(typed(one), bindRoute(one, world), context);
    });
  return [
    ...gateways.map((row) => resourceOf(row, "Gateway")),
    ...mergeAll(routes).map((row) => resourceOf(row, "VirtualService")),
  ];
}

/** An object with the specification as its table has it. */
function typed(object: Route): Route {
  const { schema } = TABLED_KINDS[object.meta.kind as TableKind];
  return {
    ...object,
    spec: fromJson(schema, object.spec as JsonValue) as Route["spec"],
  };
}

function resourceOf({ meta, spec }: ConfigObject, kind: "Gateway" | "VirtualService"): Resource {
  const { namespace, name, annotations } = meta;
  const { schema } = TABLED_KINDS[kind];
  return {
    kind,
    metadata: { namespace, name, annotations },
    spec: toJson(schema, spec as never),
  };
}
