// Draws the charts of the report from the data in the page. Times are microseconds, sizes bytes.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const charts = [];
  let palette = {};
  const colours = () => {
    const style = getComputedStyle(document.documentElement);
    for (const name of ["fg", "dim", "grid", "run", "again", "move", "copy", "before", "cap", "accent", "bg"]) {
      palette[name] = style.getPropertyValue("--" + name).trim();
    }
  };
  colours();
  const kindColour = (kind) => palette[["run", "again", "move", "copy"][kind]];
  const kindName = ["computation", "recompute", "transfer", "copy"];
  const units = [["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 2 ** 10], ["B", 1]];
  // As in the tables: 1.2 GiB is written 1228.8 MiB.
  const unitOf = (bytes) => units.find(([, size]) => bytes >= 10 * size) || units[3];
  // Ticks at round numbers of a binary unit.
  const steps = units.flatMap(([, size]) => [1, 2, 5, 10, 20, 50, 100, 200, 500].map((step) => step * size)).sort((a, b) => a - b);
  const bytesAxis = (unit) => axis({ size: 86, incrs: steps, values: (_, ticks) => ticks.map((tick) => size(tick, unit).replace(".0 ", " ")) });
  const size = (bytes, unit = unitOf(bytes)) => (unit[1] === 1 ? bytes : (bytes / unit[1]).toFixed(1)) + " " + unit[0];
  const time = (us) => us >= 1e6 ? (us / 1e6).toFixed(3) + " s" : us >= 1e3 ? (us / 1e3).toFixed(3) + " ms" : us.toFixed(3) + " us";
  const node = (tag, text, parent) => {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    if (parent) parent.append(made);
    return made;
  };
  const axis = (more) => ({
    stroke: () => palette.dim, grid: { stroke: () => palette.grid, width: 1 }, ticks: { stroke: () => palette.grid, width: 1 },
    font: "12px system-ui, sans-serif", ...more,
  });
  const legend = (parent, entries) => {
    const line = node("div", undefined, parent);
    line.className = "legend";
    for (const [colour, text] of entries) {
      node("i", undefined, line).style.background = "var(--" + colour + ")";
      line.append(text);
    }
  };
  const fit = (chart, element, height) => {
    charts.push(chart);
    new ResizeObserver(() => chart.setSize({ width: Math.max(element.clientWidth, 200), height })).observe(element);
  };

  // Memory of one device over its op sequence.
  const memory = (device) => {
    const element = document.getElementById("memory-" + device.device);
    if (!element) return;
    const event = device.event;
    const shown = event.place.map((_, index) => index).filter((index) => event.lane[index] !== 1);
    const x = shown.map((index) => event.place[index]);
    const held = shown.map((index) => event.held[index]);
    const before = x.map((place) => Number.isInteger(place) ? device.before[place] : null);
    const top = Math.max(...held.reduce((best, value) => [Math.max(best[0], value)], [0]), device.before.reduce((a, b) => Math.max(a, b), 0));
    // A cap far above everything held would flatten the curves.
    const capShown = device.cap <= 1.6 * top;
    const unit = unitOf(top);
    legend(element, [["before", "without a plan"], ["run", "with the plan"], ["cap", capShown ? "cap " + size(device.cap, unit) : "cap " + size(device.cap) + ", above the chart"]]);
    const here = document.getElementById("here-" + device.device);
    let pinned = null;
    const chart = new uPlot({
      width: Math.max(element.clientWidth, 200), height: 270, legend: { show: false },
      scales: { x: { time: false }, y: { range: (_, low, high) => [0, Math.max(high, capShown ? device.cap : 0) * 1.06 || 1] } },
      axes: [
        axis({ label: "position in the op sequence", labelSize: 20, labelFont: "12px system-ui, sans-serif" }),
        bytesAxis(unit),
      ],
      series: [
        {},
        { stroke: () => palette.before, width: 1, fill: () => palette.before + "22", spanGaps: true, points: { show: false } },
        { stroke: () => palette.run, width: 1.5, fill: () => palette.run + "33", points: { show: false } },
      ],
      cursor: { points: { size: 6 }, drag: { x: true, y: false } },
      hooks: {
        draw: [(u) => {
          const ctx = u.ctx;
          ctx.save();
          if (capShown) {
            const y = u.valToPos(device.cap, "y", true);
            ctx.strokeStyle = palette.cap;
            ctx.setLineDash([6, 4]);
            ctx.lineWidth = devicePixelRatio * 1.5;
            ctx.beginPath(); ctx.moveTo(u.bbox.left, y); ctx.lineTo(u.bbox.left + u.bbox.width, y); ctx.stroke();
          }
          // Where something runs again or comes back.
          ctx.beginPath(); ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height); ctx.clip();
          for (let at = 0; at < shown.length; at++) {
            const kind = event.kind[shown[at]];
            if (kind !== 1 && kind !== 3) continue;
            ctx.fillStyle = kindColour(kind);
            const px = u.valToPos(x[at], "x", true);
            ctx.fillRect(px - devicePixelRatio / 2, u.bbox.top + u.bbox.height - 7 * devicePixelRatio, devicePixelRatio, 7 * devicePixelRatio);
          }
          ctx.restore();
        }],
        setCursor: [(u) => { if (pinned === null && u.cursor.idx != null) describe(u.cursor.idx); }],
      },
    }, [x, before, held], element);
    const marks = [[1, "again", "runs again here"], [3, "copy", "comes back from the host here"]].filter(([kind]) => shown.some((index) => event.kind[index] === kind));
    if (marks.length) legend(element, marks.map(([, colour, text]) => [colour, text]));
    const describe = (at) => {
      const index = shown[at];
      const who = event.node[index];
      here.textContent = "";
      node("b", device.names[who], here);
      const verb = ["", " (again)", " (received)", " (back from the host)"][event.kind[index]];
      node("div", device.locations[device.location[who]] || "no location", here).className = "sub";
      node("div", "position " + Math.ceil(event.place[index]) + verb + ": " + size(event.held[index], unit) + (pinned === null ? "" : " (kept; click the chart to let go)"), here);
      const list = device.stays.filter((stay) => stay[2] <= index && index < stay[3]).map((stay) => {
        const bytes = stay[1] ? device.workspace[stay[0]] : device.bytes[stay[0]];
        return { who: stay[0], workspace: stay[1], bytes, to: stay[3] };
      }).filter((stay) => stay.bytes > 0).sort((a, b) => b.bytes - a.bytes);
      const table = node("table", undefined, here);
      const line = (bytes, text, why) => {
        const row = node("tr", undefined, table);
        const first = node("td", size(bytes, unit), row);
        first.className = "n";
        const cell = node("td", text, row);
        node("div", why, cell).className = "sub";
      };
      if (device.resident) line(device.resident, "weights and inputs", "resident from start to end");
      for (const stay of list.slice(0, 14)) {
        const place = device.locations[device.location[stay.who]];
        const until = stay.to < event.node.length ? "until " + device.names[event.node[stay.to - 1]] : "to the end";
        line(stay.bytes, device.names[stay.who], stay.workspace ? "memory it needs while it runs" : until + (place ? "; " + place : ""));
      }
      if (list.length > 14) line(list.slice(14).reduce((sum, stay) => sum + stay.bytes, 0), list.length - 14 + " more", "");
    };
    chart.over.addEventListener("click", () => {
      if (chart.cursor.idx == null) return;
      const at = chart.cursor.idx;
      pinned = pinned === null ? at : null;
      describe(at);
    });
    const peak = shown.indexOf(device.peak);
    describe(peak < 0 ? 0 : peak);
    fit(chart, element, 270);
  };

  // Bars in lanes over time; `lanes`: [{ name, bars: [[start, end, colour, text]] }], bars in order.
  const bars = (element, lanes, end) => {
    const height = 46 + 26 * lanes.length;
    const tip = node("div", "", element);
    tip.className = "tip";
    const lane = (value) => Math.min(lanes.length - 1, Math.max(0, Math.floor(value)));
    const chart = new uPlot({
      width: Math.max(element.clientWidth, 200), height, legend: { show: false }, padding: [6, 30, 0, 0],
      scales: { x: { time: false, range: (_, low, high) => [low, high] }, y: { range: [0, lanes.length], dir: -1 } },
      axes: [
        axis({ values: (_, ticks) => ticks.map((tick) => +(tick / 1e3).toPrecision(6) + " ms") }),
        axis({ size: 150, splits: () => lanes.map((_, at) => at + 0.5), values: () => lanes.map((entry) => entry.name), grid: { show: false }, ticks: { show: false } }),
      ],
      series: [{}, { paths: () => null, points: { show: false } }],
      cursor: { points: { show: false }, y: false, drag: { x: true, y: false } },
      hooks: {
        draw: [(u) => {
          const ctx = u.ctx;
          ctx.save();
          ctx.beginPath(); ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height); ctx.clip();
          lanes.forEach((entry, at) => {
            const top = u.valToPos(at + 0.12, "y", true), bottom = u.valToPos(at + 0.88, "y", true);
            for (const [from, to, colour, text, label] of entry.bars) {
              const left = u.valToPos(from, "x", true), right = u.valToPos(to, "x", true);
              if (right < u.bbox.left || left > u.bbox.left + u.bbox.width) continue;
              ctx.fillStyle = palette[colour];
              const width = Math.max(right - left, 0.6);
              // A line between bars once there is room for one.
              ctx.fillRect(left, top, width > 4 ? width - devicePixelRatio : width, bottom - top);
              if (label && width > 14 * devicePixelRatio) {
                ctx.fillStyle = palette.bg;
                ctx.font = 11 * devicePixelRatio + "px system-ui, sans-serif";
                ctx.textBaseline = "middle";
                ctx.fillText(label, left + 3 * devicePixelRatio, (top + bottom) / 2);
              }
            }
          });
          ctx.restore();
        }],
        setCursor: [(u) => {
          if (u.cursor.left < 0) return;
          const at = u.posToVal(u.cursor.left, "x"), entry = lanes[lane(u.posToVal(u.cursor.top, "y"))];
          let low = 0, high = entry.bars.length;
          while (low < high) { const middle = (low + high) >> 1; if (entry.bars[middle][0] <= at) low = middle + 1; else high = middle; }
          const bar = entry.bars[low - 1];
          tip.textContent = bar && at <= bar[1] ? entry.name + ", " + time(bar[0]) + " + " + time(bar[1] - bar[0]) + ": " + bar[3] : entry.name + ", " + time(at) + ": idle";
        }],
      },
    }, [[0, end], [0, 0]], element);
    fit(chart, element, height);
  };

  const timeline = () => {
    const element = document.getElementById("timeline");
    const uses = (kind) => data.devices.some((device) => device.event.kind.includes(kind));
    const sends = data.devices.some((device) => device.send > 0);
    legend(element, [["run", "computation", true], ["again", "recompute", uses(1)], ["move", "transfers between devices", sends || uses(2)], ["copy", "copies to and from the host", uses(3)]].filter((entry) => entry[2]));
    const lanes = [];
    let end = 0;
    for (const device of data.devices) {
      const event = device.event;
      ["", "to host", "from host"].forEach((suffix, lane) => {
        const own = [];
        for (let at = 0; at < event.node.length; at++) {
          if (event.lane[at] !== lane) continue;
          const who = event.node[at], kind = event.kind[at];
          const place = device.locations[device.location[who]];
          own.push([event.start[at], event.end[at], ["run", "again", "move", "copy"][kind], kindName[kind] + " of " + device.names[who] + ", " + size(device.bytes[who]) + (place ? ", " + place : "")]);
          end = Math.max(end, event.end[at]);
        }
        if (lane === 0 && device.send > 0) {
          const last = event.end.reduce((a, b) => Math.max(a, b), 0);
          own.push([last, last + device.send, "move", "sends, all together (they may go earlier)"]);
          end = Math.max(end, last + device.send);
        }
        if (own.length || lane === 0) lanes.push({ name: (lane ? suffix : device.device + " " + device.name).slice(0, 22), bars: own });
      });
    }
    bars(element, lanes, end || 1);
  };

  const step = () => {
    const element = document.getElementById("step");
    const pipeline = data.plan.pipeline;
    if (!element || !pipeline) return;
    legend(element, [["run", "forward"], ["again", "backward"], ["copy", "backward for weights"]]);
    const colour = { forward: "run", backward: "again", weights: "copy" };
    const lanes = data.step.map((tasks, at) => ({
      name: "device " + at,
      bars: tasks.map(([pass, micro, from, to]) => [from, to, colour[pass], pass + " of micro-batch " + micro, String(micro)]),
    }));
    bars(element, lanes, pipeline.step_seconds * 1e6);
    const below = document.getElementById("step-memory");
    const devices = pipeline.devices || pipeline.stages.length;
    for (let at = 0; at < devices; at++) {
      const points = pipeline.stages[at].memory;
      if (!points.length) continue;
      node("h3", "Memory of device " + at + " over the step", below);
      const box = node("div", undefined, below);
      const cap = data.plan.stages[at].cap_bytes;
      const top = points.reduce((best, point) => Math.max(best, point[1]), 0), unit = unitOf(top), capShown = cap <= 1.6 * top;
      legend(box, [["run", "held for all micro-batches in flight"], ["cap", capShown ? "cap " + size(cap, unit) : "cap " + size(cap) + ", above the chart"]]);
      const xs = points.map((point) => point[0] * 1e3).concat(pipeline.step_seconds * 1e3);
      const ys = points.map((point) => point[1]).concat(points[points.length - 1][1]);
      const chart = new uPlot({
        width: Math.max(box.clientWidth, 200), height: 160, legend: { show: false },
        scales: { x: { time: false }, y: { range: (_, low, high) => [0, Math.max(high, capShown ? cap : 0) * 1.06 || 1] } },
        axes: [axis({ values: (_, ticks) => ticks.map((tick) => tick + " ms") }), bytesAxis(unit)],
        series: [{}, { stroke: () => palette.run, fill: () => palette.run + "33", width: 1.5, paths: uPlot.paths.stepped({ align: 1 }), points: { show: false } },
          ...(capShown ? [{ stroke: () => palette.cap, dash: [6, 4], width: 1.5, points: { show: false } }] : [])],
        cursor: { drag: { x: true, y: false } },
      }, capShown ? [xs, ys, xs.map(() => cap)] : [xs, ys], box);
      fit(chart, box, 160);
    }
  };

  // Overhead of one device against its cap. A plan serves larger caps too, and a bound smaller ones: both are steps.
  const curve = (entry) => {
    const element = document.getElementById("curve-" + entry.device);
    const points = entry.points.filter((point) => point.overhead_percent !== null);
    const own = { ...entry.plan, cap_bytes: Math.min(entry.plan.cap_bytes, entry.unplanned_peak_bytes) };
    const unit = unitOf(entry.unplanned_peak_bytes);
    legend(element, [["run", "best plan found (filled: proved)"], ["before", "proven bound"], ["cap", "this plan"]]);
    const percent = (share) => +share.toPrecision(4) + " %";
    const about = (point) => size(point.cap_bytes, unit) + ": " + percent(point.overhead_percent) + " overhead, " +
      (point.proved ? "proved" : "bound " + percent(point.bound_percent));
    const tip = node("div", "this plan, " + about(entry.plan), element);
    tip.className = "tip";
    const top = Math.max(own.overhead_percent, ...points.map((point) => point.overhead_percent));
    const chart = new uPlot({
      width: Math.max(element.clientWidth, 200), height: 230, legend: { show: false }, padding: [8, 24, 0, 0],
      scales: { x: { time: false }, y: { range: () => [0, top * 1.08 || 1] } },
      axes: [
        axis({ incrs: steps, values: (_, ticks) => ticks.map((tick) => size(tick, unit).replace(".0 ", " ")), space: 80 }),
        axis({ size: 60, values: (_, ticks) => ticks.map((tick) => +tick.toPrecision(6) + " %") }),
      ],
      series: [
        {},
        { stroke: () => palette.run, width: 1.5, paths: uPlot.paths.stepped({ align: 1 }), points: { show: false } },
        { stroke: () => palette.before, width: 1, dash: [5, 4], paths: uPlot.paths.stepped({ align: -1 }), points: { show: false } },
      ],
      cursor: { points: { show: false }, drag: { x: true, y: false } },
      hooks: {
        draw: [(u) => {
          const ctx = u.ctx, mark = (point, colour, radius) => {
            ctx.beginPath();
            ctx.arc(u.valToPos(point.cap_bytes, "x", true), u.valToPos(point.overhead_percent, "y", true), radius * devicePixelRatio, 0, 2 * Math.PI);
            ctx.fillStyle = point.proved ? colour : palette.bg;
            ctx.fill();
            ctx.strokeStyle = colour;
            ctx.lineWidth = 1.5 * devicePixelRatio;
            ctx.stroke();
          };
          ctx.save();
          ctx.setLineDash([]);
          ctx.beginPath(); ctx.rect(u.bbox.left - 9, u.bbox.top - 9, u.bbox.width + 18, u.bbox.height + 18); ctx.clip();
          points.forEach((point) => mark(point, palette.run, 3));
          mark(own, palette.cap, 5);
          ctx.restore();
        }],
        setCursor: [(u) => { if (u.cursor.idx != null && u.cursor.left >= 0) tip.textContent = about(points[u.cursor.idx]); }],
      },
    }, [points.map((point) => point.cap_bytes), points.map((point) => point.overhead_percent), points.map((point) => point.bound_percent)], element);
    fit(chart, element, 230);
  };

  data.devices.forEach(memory);
  timeline();
  step();
  data.curves.forEach(curve);
  const repaint = () => { colours(); charts.forEach((chart) => chart.redraw(false)); };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
  matchMedia("print").addEventListener("change", repaint);
  document.documentElement.dataset.drawn = charts.length;
})();
