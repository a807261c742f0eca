/**
 * References across namespaces: allowed by a ReferenceGrant in the namespace of the object that is named.
 *
 * @module
 */
import type { ObjectKey } from "../../model/mod.ts";
import type { GrantLookup } from "./lookups.ts";
import { GATEWAY_GROUP } from "./objects.ts";

/** One reference: who names what. `group` of `from` is that of the standard. */
export interface Crossing {
  readonly from: { readonly kind: string; readonly namespace: string };
  readonly to: ObjectKey & { readonly group: string; readonly kind: string };
}

/** Reports if the reference is permitted: within a namespace always, otherwise by a grant. */
export function isPermitted({ from, to }: Crossing, look: GrantLookup): boolean {
  if (from.namespace === to.namespace) return true;
  return look.grants(to.namespace).some(({ spec }) =>
    spec.from?.some((one) =>
      one.group === GATEWAY_GROUP && one.kind === from.kind && one.namespace === from.namespace
    ) && spec.to?.some((one) =>
      (one.group || "") === to.group && one.kind === to.kind && (!one.name || one.name === to.name)
    )
  );
}
