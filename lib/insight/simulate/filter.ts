/**
 * Input and effects of HTTP filters.
 *
 * @module
 */
import type { HttpConnectionManager } from "#envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.ts";
import type { RouteConfiguration } from "#envoy/config/route/v3/route_pb.ts";
import type { Any } from "../../kit/proto/mod.ts";
import type { Chosen } from "./action.ts";
import type { Journey } from "./journey.ts";
import type { Exchange } from "./request.ts";
import type { Ending, Sent } from "./verdict.ts";

/** Input of a filter. */
export interface Passage {
  readonly journey: Journey;
  readonly manager: HttpConnectionManager;
  readonly table: RouteConfiguration;
  readonly exchange: Exchange;
}

/** The route that is currently selected, or why there is none. */
export type Choice = Chosen | { readonly status: 404 } | { readonly undecided: string };

/** The effect of a filter on a request. */
export type Effect =
  | { readonly kind: "passes" }
  /** The route is selected again, because its input has changed. */
  | { readonly kind: "reroutes" }
  | { readonly kind: "ends"; readonly endings: readonly Ending[] }
  /** Some calls end here; the others may be delayed. */
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
  /** Per-filter configuration of the route, its virtual host or its table. */
  own: Any | undefined,
) => Effect;
