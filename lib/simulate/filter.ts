/**
 * What HTTP filters are handed, and what they may do.
 *
 * @module
 */
import type { HttpConnectionManager } from "#envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.ts";
import type { RouteConfiguration } from "#envoy/config/route/v3/route_pb.ts";
import type { Any } from "../proto/mod.ts";
import type { Chosen } from "./action.ts";
import type { Journey } from "./journey.ts";
import type { Exchange } from "./request.ts";
import type { Ending, Sent } from "./verdict.ts";

/** What filters are handed. */
export interface Passage {
  readonly journey: Journey;
  readonly manager: HttpConnectionManager;
  readonly table: RouteConfiguration;
  readonly exchange: Exchange;
}

/** The route a request takes as things stand, or why there is none. */
export type Choice = Chosen | { readonly status: 404 } | { readonly undecided: string };

/** What a filter does with a request. */
export type Effect =
  | { readonly kind: "passes" }
  /** The route is chosen anew: what it goes by has changed. */
  | { readonly kind: "reroutes" }
  | { readonly kind: "ends"; readonly endings: readonly Ending[] }
  /** Some calls are ended here; the others are held up for a while, or not. */
  | {
    readonly kind: "strikes";
    readonly endings: readonly Ending[];
    readonly delay: Sent["delay"];
  };

/** A filter's model. */
export type Model = (
  passage: Passage,
  config: Any | undefined,
  route: Choice,
  /** What the route, its host or its table say to the filter. */
  own: Any | undefined,
) => Effect;
