/**
 * Routes for a fraction of the requests. Envoy draws one random number for each request, and compares the
 * fractions of all routes with it.
 *
 * @module
 */
import type { VirtualHost } from "#envoy/config/route/v3/route_components_pb.ts";
import {
  type FractionalPercent,
  FractionalPercent_DenominatorType as Denominator,
} from "#envoy/type/v3/percent_pb.ts";

const DENOMINATORS: Readonly<Record<Denominator, number>> = {
  [Denominator.HUNDRED]: 100,
  [Denominator.TEN_THOUSAND]: 10_000,
  [Denominator.MILLION]: 1_000_000,
};

/** A fraction as a number from 0 to 1; 0 if there is none. */
export function fraction(part: FractionalPercent | undefined): number {
  return part === undefined ? 0 : Math.min(1, part.numerator / DENOMINATORS[part.denominator]);
}

/** Requests for which the routes of a virtual host compare alike. */
export interface Portion {
  /** Part of all requests, from 0 to 1. */
  readonly share: number;
  /** A random number, from 0 to 1, that stands for those of the requests. */
  readonly random: number;
}

/** The portions of the requests to a virtual host; one, if no route is for a fraction. */
export function portionsOf(host: VirtualHost | undefined): Portion[] {
  const bounds = (host?.routes ?? []).map(({ match }) =>
    fraction(match?.runtimeFraction?.defaultValue)
  );
  const ends = [...new Set([...bounds, 1])].filter((bound) => bound > 0).sort((a, b) => a - b);
  return ends.map((end, at) => {
    const start = at === 0 ? 0 : ends[at - 1]!;
    return { share: end - start, random: (start + end) / 2 };
  });
}
