/**
 * Source addresses that the capture rules exclude.
 *
 * @module
 */
import { type BindConfig, BindConfigSchema } from "#envoy/config/core/v3/address_pb.ts";
import { create } from "../../../kit/proto/mod.ts";

/**
 * Source addresses that the capture rules exclude, so that connections to the workload's own
 * address are not captured again.
 */
const OWN_SOURCE = { v4: "127.0.0.6", v6: "::6" } as const;

/** Binds connections to these source addresses. */
export function ownSource(family: "v4" | "v6" | "dual"): BindConfig {
  const port = { case: "portValue", value: 0 } as const;
  const first = family === "v6" ? OWN_SOURCE.v6 : OWN_SOURCE.v4;
  return create(BindConfigSchema, {
    sourceAddress: { address: first, portSpecifier: port },
    extraSourceAddresses: family === "dual"
      ? [{ address: { address: OWN_SOURCE.v6, portSpecifier: port } }]
      : [],
  });
}
