/**
 * The corpus `gateway`: the status of objects of the Gateway API, and the resources that they become.
 *
 * @module
 */
import assert from "node:assert/strict";
import { canonicalJson } from "../../lib/kit/base/mod.ts";
import { parseYaml } from "../../lib/kit/text/mod.ts";
import {
  attachedFrom,
  bindAddresses,
  bindGateway,
  bindRoute,
  countAttached,
  type Gateway,
  GATEWAY_CONTROLLER,
  gatewayClassStatus,
  gatewayStatus,
  isRouteKind,
  referenceFault,
  remoteGatewayStatus,
  type Route,
  routeStatus,
  statedAddresses,
} from "../../lib/mesh/gateway_api/mod.ts";
import type { ConfigObject } from "../../lib/mesh/model/mod.ts";
import { type World, worldOf } from "../../tests/support/gateway_api_world.ts";
import type { Case, Corpus, ReadFile } from "./corpus.ts";
import { judgeResources } from "./gateway_resources.ts";
import { documentsOf } from "./yaml_documents.ts";

interface GatewayCase extends Case {
  readonly golden: string;
  readonly statusGolden: string;
  readonly options: {
    readonly world: {
      readonly services: string;
      readonly secrets: string;
      readonly domain: string;
    };
  };
}

interface Services {
  readonly ports: Readonly<Record<string, number>>;
  readonly services: readonly {
    readonly hostname: string;
    readonly namespace: string;
    readonly externalAddresses?: readonly string[];
  }[];
}

interface Secret {
  readonly metadata: { readonly namespace: string; readonly name: string };
}

interface Document {
  readonly kind: string;
  readonly metadata: { readonly namespace?: string; readonly name: string };
  readonly status?: unknown;
}

/** Compares reasons and truth of conditions, by type; messages are free. */
export const GATEWAY_STATUS: Corpus<GatewayCase> = {
  name: "gateway",
  judge: ({ inputs, golden, statusGolden, options: { world: facts } }, read) => {
    const text = inputs.map((file) => read(file)).join("\n---\n");
    const world = worldOf(text, lookupsOf(facts, read));
    judgeResources(world, read(golden), facts.domain);
    const wanted = documentsOf<Document>(read(statusGolden)).filter(({ status }) =>
      status !== undefined
    );
    if (wanted.length === 0) return "the golden file has no status";
    for (const { kind, metadata: { namespace, name }, status } of wanted) {
      const object = world.objects.find(({ meta }) =>
        meta.kind === kind && meta.name === name &&
        (kind === "GatewayClass" || meta.namespace === namespace)
      );
      assert.ok(object, `${kind} ${namespace}/${name}`);
      const made = statusOf(object, world, facts.domain);
      assert.deepEqual(plain(made), plain(status), `${kind} ${namespace}/${name}`);
    }
    return undefined;
  },
};

/** The services, secrets and namespaces around the inputs. */
function lookupsOf(
  { services: file, secrets, domain }: GatewayCase["options"]["world"],
  read: ReadFile,
): Partial<World> {
  const { ports, services } = parseYaml(read(file)) as Services;
  const numbers = Object.values(ports);
  const byHost = new Map(services.map((one) => [one.hostname, one]));
  const targetAt = (host: string) => {
    const found = byHost.get(host);
    return found && { host, namespace: found.namespace, ports: numbers };
  };
  const held = documentsOf<Secret>(read(secrets));
  return {
    namespaceLabels: (name) => ({ "mesh.io/test-name-part": name.split("-")[0] ?? "" }),
    service: (_kind, { namespace, name }) => targetAt(`${name}.${namespace}.svc.${domain}`),
    host: (name) => targetAt(name),
    certificate: ({ namespace, name }) =>
      held.some(({ metadata }) => metadata.namespace === namespace && metadata.name === name)
        ? "valid"
        : "missing",
    front: (host) => {
      const target = targetAt(host);
      const externalAddresses = byHost.get(host)?.externalAddresses ?? [];
      return target && { ...target, addresses: [], externalAddresses };
    },
  };
}

function statusOf(object: ConfigObject, world: World, domain: string): unknown {
  const { meta: { kind, generation } } = object;
  if (kind === "GatewayClass") {
    return { conditions: gatewayClassStatus(generation, true).conditions };
  }
  if (kind === "Gateway") return statusOfGateway(object as Gateway, world, domain);
  if (!isRouteKind(kind)) return undefined;
  const route = object as Route;
  const unresolved = referenceFault(route, world);
  const facts = { generation, controllerName: GATEWAY_CONTROLLER };
  return routeStatus(bindRoute(route, world), unresolved ? { ...facts, unresolved } : facts);
}

function statusOfGateway(gateway: Gateway, world: World, domain: string): unknown {
  const bound = bindGateway(gateway, world);
  if (bound === undefined) return undefined;
  if (bound.role === "remote") return remoteGatewayStatus(bound, statedAddresses(gateway.spec));
  const routes = world.objects.filter(({ meta }) => isRouteKind(meta.kind)) as Route[];
  const attached = attachedFrom([countAttached(routes.map((one) => bindRoute(one, world)))]);
  const { className } = bound;
  const addresses = bindAddresses(gateway, { className, domain }, world);
  return gatewayStatus(bound, { addresses, attached });
}

/** Without times, generations and messages; conditions by type, parents by reference. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null, (name, one) => {
    if (name === "lastTransitionTime" || name === "message" || name === "observedGeneration") {
      return undefined;
    }
    if (!Array.isArray(one)) return one;
    if (name === "conditions") return sorted(one, "type");
    return name === "parents" ? sorted(one, "parentRef") : one;
  }));
}

function sorted(list: readonly Record<string, unknown>[], field: string): unknown[] {
  const key = (one: Record<string, unknown>) => canonicalJson(one[field] ?? null);
  return list.toSorted((a, b) => key(a) < key(b) ? -1 : 1);
}
