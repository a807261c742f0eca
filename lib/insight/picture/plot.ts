/**
 * Plots of numbers over time. They have no texts inside, so that they can be as wide as their
 * place; their words are in the description and beside them.
 *
 * @module
 */
import { described, element, round, type SvgElement } from "./element.ts";

/** A number at a time. */
export interface PlotPoint {
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** Not negative; unset where nothing was measured. */
  readonly value: number | undefined;
}

export interface Plot {
  /** Unique on the page. */
  readonly id: string;
  readonly title: string;
  readonly description: string;
  /** In the order of their times. */
  readonly points: readonly PlotPoint[];
  /** The shown time, in milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
  /** Bars for what happened between two points, a line for a state. */
  readonly form: "bars" | "line";
  /** A line is broken where points are further apart than this, in milliseconds. */
  readonly gap: number;
  readonly tone?: "bad";
}

const WIDTH = 240;
const HEIGHT = 48;
/** Space above the greatest value and below zero. */
const EDGE = 2;

/** Draws a plot, from zero to the greatest value. */
export function drawPlot(plot: Plot): SvgElement {
  const { id, form, tone } = plot;
  const { attributes, children } = described(id, plot);
  const marks = form === "bars" ? bars(plot) : line(plot);
  return element(
    "svg",
    {
      class: "picture plot",
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      preserveAspectRatio: "none",
      role: "img",
      ...attributes,
    },
    ...children,
    element("path", { class: "axis", d: `M0 ${HEIGHT - EDGE}H${WIDTH}` }),
    ...marks === ""
      ? []
      : [element("path", { class: tone === undefined ? form : `${form} ${tone}`, d: marks })],
  );
}

/** A point in the picture. */
interface Place {
  readonly time: number;
  readonly x: number;
  readonly y: number;
}

/** The points in the shown time that have a value. */
function placesOf({ points, from, to }: Plot): Place[] {
  const shown = points.flatMap(({ time, value }) =>
    value === undefined || time < from || time > to ? [] : [{ time, value }]
  );
  const most = Math.max(...shown.map(({ value }) => value), 0);
  return shown.map(({ time, value }) => ({
    time,
    x: round(WIDTH * (time - from) / (to - from)),
    y: round(HEIGHT - EDGE - (most === 0 ? 0 : (HEIGHT - 2 * EDGE) * value / most)),
  }));
}

function bars(plot: Plot): string {
  return placesOf(plot).filter(({ y }) => y < HEIGHT - EDGE)
    .map(({ x, y }) => `M${x} ${HEIGHT - EDGE}V${y}`).join("");
}

function line(plot: Plot): string {
  let before: Place | undefined;
  let path = "";
  for (const place of placesOf(plot)) {
    const joined = before !== undefined && place.time - before.time <= plot.gap;
    // A point without neighbours is a short line.
    path += joined ? `L${place.x} ${place.y}` : `M${place.x} ${place.y}h.1`;
    before = place;
  }
  return path;
}
