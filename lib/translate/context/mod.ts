/**
 * Types and functions that all tables of translation share.
 *
 * @module
 */
export { addressesOf, hasOwnListeners, listenedAddresses, ownsAddress } from "./addresses.ts";
export type {
  ClusterSettings,
  Context,
  Guards,
  LibraryGuard,
  PolicyKeys,
  ReadShared,
  SharedSettings,
  SignalTable,
  TokenGuard,
  TokensKey,
} from "./context.ts";
export { type Family, familyOf, isOfFamily } from "./family.ts";
export { type Features, knownProtocol } from "./features.ts";
export {
  type Exposed,
  exposed,
  type Flavour,
  flavourKey,
  flavourOf,
  parseFlavour,
  usesGiven,
  wildcard,
} from "./flavour.ts";
export { type Caller, type Pick, pick, pickFor, pickService } from "./lookups.ts";
export { hostOf } from "./named_services.ts";
export { type AgentLayersOf, isGrpc, type LayersOf, type Placement } from "./placement.ts";
export { type ContentKey, pickPlaced, placeOf, reachOf } from "./places.ts";
export { mergeTrafficPolicy, notingListener, type PolicyListener } from "./traffic_policy.ts";
