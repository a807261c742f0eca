/** Tests of plots: scales, gaps, the text for screen readers. */
import assert from "node:assert/strict";
import { drawPlot, type Plot, type SvgElement } from "./mod.ts";

function plot(over: Partial<Plot>): Plot {
  return {
    id: "memory",
    title: "Memory",
    description: "from 1 to 2",
    points: [],
    from: 1_000,
    to: 2_000,
    form: "line",
    gap: 100,
    ...over,
  };
}

const paths = (tree: SvgElement) =>
  tree.children.flatMap((one) =>
    typeof one !== "string" && one.name === "path" && one.attributes.class !== "axis"
      ? [`${one.attributes.class} ${one.attributes.d}`]
      : []
  );

Deno.test("a line leads from zero to the greatest value, and has gaps where nothing was measured", () => {
  const points = [
    { time: 900, value: 99 },
    { time: 1_000, value: 0 },
    { time: 1_100, value: 4 },
    { time: 1_500, value: 2 },
    { time: 1_550, value: undefined },
    { time: 1_600, value: 4 },
    { time: 2_100, value: 99 },
  ];
  assert.deepEqual(paths(drawPlot(plot({ points }))), [
    "line M0 46h.1L24 2M120 24h.1L144 2",
  ]);
});

Deno.test("bars stand where something happened", () => {
  const points = [{ time: 1_500, value: 3 }, { time: 1_600, value: 0 }, { time: 2_000, value: 6 }];
  assert.deepEqual(paths(drawPlot(plot({ points, form: "bars", tone: "bad" }))), [
    "bars bad M120 46V24M240 46V2",
  ]);
});

Deno.test("a plot of nothing, and one of zeros, have only an axis or a line on it", () => {
  assert.deepEqual(paths(drawPlot(plot({}))), []);
  const points = [{ time: 1_000, value: 0 }];
  assert.deepEqual(paths(drawPlot(plot({ points, form: "bars" }))), []);
  assert.deepEqual(paths(drawPlot(plot({ points }))), ["line M0 46h.1"]);
});

Deno.test("a plot is an image with a title and a description", () => {
  const { attributes, children } = drawPlot(plot({}));
  assert.equal(attributes.role, "img");
  assert.deepEqual([attributes["aria-labelledby"], attributes["aria-describedby"]], [
    "memory-title",
    "memory-desc",
  ]);
  const texts = children.flatMap((one) => typeof one === "string" ? [] : one.children);
  assert.deepEqual(texts, ["Memory", "from 1 to 2"]);
});
