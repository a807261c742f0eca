/**
 * `/debug/ambientz`: the resources of node proxies.
 *
 * @module
 */
import { AuthorizationSchema } from "#mesh/security/authorization_pb.ts";
import { AddressSchema } from "#mesh/workload/workload_pb.ts";
import { fromBinary, toJson } from "../../kit/proto/mod.ts";
import { ipText } from "../../kit/text/mod.ts";
import { json, type Route, text } from "../../kit/web/mod.ts";
import type { ProxyBinding } from "../../mesh/model/mod.ts";
import { objectKey, serviceKeys, XDS_TYPES } from "../../mesh/model/mod.ts";
import { ANY_NODE_PROXY } from "../explain/mod.ts";
import { debugRoute } from "./access.ts";
import type { DebugInputs } from "./inputs.ts";

/** Workloads, services and policies as node proxies are sent them, and the waypoints. */
export function ambientRoutes(inputs: DebugInputs): Route[] {
  return [debugRoute("GET", "/debug/ambientz", () => {
    const { mesh, bind } = inputs;
    if (mesh.ambient === undefined || bind === undefined) {
      return text("ambient mode is off: set PILOT_ENABLE_AMBIENT=true at the daemon\n", {
        status: 404,
      });
    }
    const binding = bind(ANY_NODE_PROXY);
    try {
      return json({
        ...addressesOf(binding),
        policies: policiesOf(binding),
        ...waypoints(inputs),
        problems: problemsOf(inputs),
      });
    } finally {
      binding.close();
    }
  })];
}

function addressesOf(binding: ProxyBinding): Record<string, unknown[]> {
  const found: Record<"workloads" | "services", unknown[]> = { workloads: [], services: [] };
  for (const { bytes } of sorted(binding, XDS_TYPES.address.url)) {
    const { type } = fromBinary(AddressSchema, bytes);
    if (type.case === undefined) continue;
    const shown = toJson(AddressSchema, fromBinary(AddressSchema, bytes)) as Record<
      string,
      unknown
    >;
    found[type.case === "workload" ? "workloads" : "services"].push(withTexts(shown[type.case]));
  }
  return found;
}

function policiesOf(binding: ProxyBinding): unknown[] {
  return sorted(binding, XDS_TYPES.authorization.url)
    .map(({ bytes }) =>
      withTexts(toJson(AuthorizationSchema, fromBinary(AuthorizationSchema, bytes)))
    );
}

function sorted(binding: ProxyBinding, url: string) {
  return [...binding.view(url)?.entries() ?? []].sort((a, b) => a.name < b.name ? -1 : 1);
}

/** The value with addresses as texts instead of base64. */
function withTexts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withTexts);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => {
      if (name === "address" && typeof one === "string") return [name, addressText(one)];
      const isList = name === "addresses" && Array.isArray(one);
      return [
        name,
        isList
          ? one.map((each) => typeof each === "string" ? addressText(each) : withTexts(each))
          : withTexts(one),
      ];
    }),
  );
}

function addressText(base64: string): string {
  return ipText(Uint8Array.fromBase64(base64));
}

function waypoints({ mesh: { graph, ambient } }: DebugInputs): { readonly waypoints: unknown[] } {
  const { indexes, waypoints: tables } = ambient!;
  return {
    waypoints: indexes.gateways.peek("all").flatMap((key) => {
      const waypoint = graph.peek(tables.waypoint, key);
      if (waypoint === undefined) return [];
      const services = graph.peek(tables.services, key);
      return [{ ...waypoint, services, workloads: graph.peek(tables.workloads, key) }];
    }),
  };
}

/** Policies that node proxies do not enforce as written, and waypoints that are named and not used. */
function problemsOf({ mesh: { graph, ambient } }: DebugInputs): unknown[] {
  const { indexes, policies, waypoints: { ofService, ofWorkload } } = ambient!;
  return [
    ...indexes.policies.peek("all").flatMap((key) => {
      const fault = graph.peek(policies.translated, objectKey(key))?.fault;
      return fault === undefined ? [] : [{ policy: objectKey(key), fault }];
    }),
    ...indexes.services.peek("all").flatMap((key) => {
      const { fault, canaryFault } = graph.peek(ofService, key);
      return [fault, canaryFault].flatMap((one) =>
        one === undefined ? [] : [{ service: serviceKeys.encode(key), ...one }]
      );
    }),
    ...indexes.workloads.peek("all").flatMap((row) => {
      const { fault } = graph.peek(ofWorkload, row);
      return fault === undefined ? [] : [{ workload: row, ...fault }];
    }),
  ];
}
