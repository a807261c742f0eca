/**
 * Cases of delegates, and of rules for certain clients.
 *
 * @module
 */
import { NAMESPACE, to } from "../../support/manifest.ts";
import type { RoutingCase } from "./case.ts";
import { SERVICE } from "./service.ts";

const DELEGATION: readonly RoutingCase[] = [
  {
    name: "delegate: its rules stand in place, below what is delegated",
    http: [
      {
        match: [{ uri: { prefix: "/shop" } }],
        delegate: { name: "shop", namespace: NAMESPACE },
        headers: { request: { set: { "x-lent": "yes" } } },
      },
      to(SERVICE, "v2"),
    ],
    delegates: {
      shop: [
        to(SERVICE, "v1", { match: [{ uri: { prefix: "/shop/cart" } }] }),
        // Nothing of this is delegated here.
        to(SERVICE, "v1", { match: [{ uri: { prefix: "/elsewhere" } }] }),
      ],
    },
    exchanges: [
      { path: "/shop/cart/1", from: "v1", sees: { headers: { "x-lent": "yes" } } },
      { path: "/shop/other", from: "v2", sees: { headers: { "x-lent": null } } },
      { path: "/elsewhere", from: "v2" },
    ],
  },
  {
    name: "delegate: a rule whose delegate is not there is for nobody",
    http: [{ delegate: { name: "nosuch" } }, to(SERVICE, "v1")],
    exchanges: [{ path: "/", from: "v1" }],
  },
];

const CALLERS: readonly RoutingCase[] = [
  {
    name: "source namespace",
    http: [
      to(SERVICE, "v2", { match: [{ sourceNamespace: "elsewhere" }] }),
      to(SERVICE, "v1", { match: [{ sourceNamespace: NAMESPACE }] }),
      to(SERVICE, "v2"),
    ],
    exchanges: [{ path: "/", from: "v1" }],
  },
  {
    name: "source labels",
    http: [
      to(SERVICE, "v2", { match: [{ sourceLabels: { kind: "elsewhere" } }] }),
      to(SERVICE, "v2", { match: [{ sourceLabels: { kind: "sidecar", app: "none" } }] }),
      to(SERVICE, "v1", { match: [{ sourceLabels: { kind: "sidecar" } }] }),
      to(SERVICE, "v2"),
    ],
    exchanges: [{ path: "/", from: "v1" }],
  },
  {
    name: "source labels of a delegate",
    http: [{ delegate: { name: "bylabel" } }, to(SERVICE, "v2")],
    delegates: {
      bylabel: [to(SERVICE, "v1", { match: [{ sourceLabels: { kind: "sidecar" } }] })],
    },
    exchanges: [{ path: "/", from: "v1" }],
  },
];

/** All of them. */
export const SCOPE_CASES: readonly RoutingCase[] = [...DELEGATION, ...CALLERS];
