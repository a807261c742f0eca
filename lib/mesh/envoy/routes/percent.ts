/**
 * Percentages.
 *
 * @module
 */
import {
  type FractionalPercent,
  FractionalPercent_DenominatorType,
  FractionalPercentSchema,
} from "#envoy/type/v3/percent_pb.ts";
import type { Percent } from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import { create } from "../../../kit/proto/mod.ts";

/**
 * Translates a percentage with decimals to parts per million, Envoy's finest unit; limited to 0 to
 * 100 %.
 */
export function finePercent(percent: Percent): FractionalPercent {
  return create(FractionalPercentSchema, {
    numerator: Math.min(1_000_000, Math.max(0, Math.round(percent.value * 10_000))),
    denominator: FractionalPercent_DenominatorType.MILLION,
  });
}

/** Translates an integer percentage; limited to 0 to 100. */
export function wholePercent(percent: number): FractionalPercent {
  return create(FractionalPercentSchema, {
    numerator: Math.min(100, Math.max(0, percent)),
    denominator: FractionalPercent_DenominatorType.HUNDRED,
  });
}
