// What a person does on the page of the line calculator, and what it shows.
"use strict";

(() => {
const root = document.querySelector("#nlc");
if (!root) return;
const {DATA, LAYERS, Refusal, plainLayer, variantOf, parsedStack, resolvedLayer, resolvedStack,
  misplaced, insertions, computed} = netmodelCalculator;
const at = (id) => document.getElementById(`nlc-${id}`);

// Units of the menus; the command line reads the same
const RATE_UNITS = {"Mbit/s": 1e6, "Gbit/s": 1e9, "Tbit/s": 1e12};
const SIZE_UNITS = {"B": 1, "kB": 1e3, "KiB": 1024, "MB": 1e6, "MiB": 1048576, "GB": 1e9};
const MTU_UNITS = {"B": 1, "kB": 1e3, "KiB": 1024};
const FIELDS = {
  rate: {key: "line_rate_bps", label: "line rate", units: RATE_UNITS, usual: ["25", "Gbit/s"]},
  mtu: {key: "mtu_bytes", label: "MTU", units: MTU_UNITS, usual: ["1500", "B"]},
  message: {key: "message_bytes", label: "message size", units: SIZE_UNITS, usual: ["30", "KiB"]},
  request: {key: "request_bytes", label: "request", units: SIZE_UNITS, usual: ["200", "B"]},
  response: {key: "response_bytes", label: "response", units: SIZE_UNITS, usual: ["1000", "B"]},
  acks: {key: "segments_per_ack", label: "segments per ACK", units: null,
    usual: ["", ""]}
};
const WORKLOADS = {stream: [], messages: ["message"], transactions: ["request", "response"]};
const COMMON_RATES = [1, 10, 25, 40, 50, 100, 200, 400, 800];
const ZONES = {
  silent: "line", link: "link", tunnel: "tunnel", inner: "packet", records: "records",
  payload: "payload", padding: "padding"
};

let chosen = parsedStack(DATA.presets[Object.keys(DATA.presets)[0]]);
let insertAt = null;

// Elements

function element(tag, attributes = {}, ...inside) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null) made.setAttribute(name, value);
  }
  made.append(...inside.filter((each) => each !== null));
  return made;
}

// Numbers as text

function digits(value, most) {
  const text = String(Number(value.toPrecision(most)));
  return /^\d{4,}\./.test(text) ? text.replace(/^\d+/, (before) => grouped(Number(before))) : text;
}

function grouped(value, after = 0) {
  return value.toLocaleString("en-US", {minimumFractionDigits: after, maximumFractionDigits: after});
}

function rateText(bps) {
  const [unit, scale] = Object.entries({"bit/s": 1, "kbit/s": 1e3, ...RATE_UNITS})
    .filter(([, each]) => bps >= each).pop() || ["bit/s", 1];
  return `${digits(bps / scale, 11)} ${unit}`;
}

function bytesText(bytes) {
  return `${Number.isInteger(bytes) ? grouped(bytes) : digits(bytes, 7)} B`;
}

function perSecond(value) {
  return value < 100 ? digits(value, 4) : grouped(value, value < 1e4 ? 1 : 0);
}

const percent = (share) => `${(100 * share).toFixed(share > 0.9995 && share < 1 ? 4 : 2)} %`;
const partName = (name) => name.replaceAll("_", " ");

// Fields

function entered(name) {
  const {label, units, key} = FIELDS[name];
  const text = at(name).value.trim().replaceAll(/[\s_\u00a0]/g, "");
  if (!text && name === "acks") return null;
  if (!text) throw new Refusal(key, `enter the ${label}`);
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) {
    const hint = text.includes(",") ? ": write a point before decimals, and no commas"
      : units && /^[\d.]+\s*[a-zµ]/i.test(text) ? ": choose the unit beside the number" : "";
    throw new Refusal(key, `${label} must be a number; got ${at(name).value.trim()}${hint}`);
  }
  const scale = units ? units[at(`${name}-unit`).value] : 1;
  const value = Number(text) * scale, rounded = Math.round(value);
  // 1.2 kB is 1200 bytes, though floats make a little more of it
  const isWhole = key !== "line_rate_bps" && Math.abs(value - rounded) < 1e-9 * Math.abs(value);
  if (!Number.isFinite(value)) throw new Refusal(key, `${label} is too large for a number`);
  return isWhole ? rounded : value;
}

function workload() {
  return root.querySelector("input[name=nlc-workload]:checked").value;
}

function readable(error) {
  // the words of the library, with the names of the fields
  let text = error.message;
  const labels = {outer_packet_bytes: "the outermost packet", datagram_bytes: "a datagram",
    ...Object.fromEntries(Object.values(FIELDS).map(({key, label}) => [key, label]))};
  if (error.field === "request_bytes") labels.message_bytes = "request";
  if (error.field === "response_bytes") labels.message_bytes = "response";
  for (const [key, label] of Object.entries(labels)) text = text.replaceAll(key, label);
  text = text.replaceAll(/\d{5,}(?![\d.])/g, (number) => grouped(Number(number)));
  // names of layers stay as they are written
  return error.field === "stack" ? text : text.charAt(0).toUpperCase() + text.slice(1);
}

function fieldOf(error) {
  if (error.field === "stack") return "stack";
  const found = Object.entries(FIELDS).find(([, {key}]) => key === error.field);
  return found ? found[0] : "mtu";
}

function showError(name, text) {
  at(`${name}-error`).textContent = text;
  if (text) at(name).setAttribute("aria-invalid", "true");
  else at(name).removeAttribute("aria-invalid");
}

// Layers

function sizeOf(layer) {
  try {
    const made = resolvedLayer(layer);
    const each = made.record_bytes ? ` per ${grouped(made.record_bytes)} B` : "";
    const padded = made.block_bytes > 1 ? ", padded" : "";
    return `${made.fixed_bytes} B${each}${padded}`;
  } catch (error) {
    return "";
  }
}

function zoneOf(place) {
  const levels = chosen.map(({name}) => LAYERS[name].level);
  if (levels[place] === "records") return "records";
  const first = levels.indexOf("internet"), last = levels.lastIndexOf("internet");
  if (first < 0 || place < first) return "link";
  return place < last ? "tunnel" : "inner";
}

function optionInputs(layer, place) {
  const form = LAYERS[layer.name], id = `nlc-layer-${place}`;
  const flags = form.flags.map((flag) => element("label", {}, element("input", {
    type: "checkbox", id: `${id}-${flag}`, checked: layer.flags.includes(flag),
    onchange: (event) => {
      layer.flags = layer.flags.filter((each) => each !== flag);
      if (event.target.checked) layer.flags.push(flag);
      changedLayers();
    }
  }), ` ${flag}`));
  const choices = Object.entries(form.choices).map(([key, values]) =>
    element("label", {}, `${key} `, element("select", {
      id: `${id}-${key}`,
      onchange: (event) => {
        layer.choices[key] = event.target.value;
        changedLayers();
      }
    }, ...values.map((value) =>
      element("option", {selected: value === layer.choices[key]}, value)))));
  const {counted} = variantOf(layer);
  const count = form.count && counted ? [element("label", {}, `${form.count} `, element("input", {
    id: `${id}-count`, inputmode: "numeric", size: 6,
    value: Number.isNaN(layer.count) ? layer.typed : layer.count ?? counted.usual ?? "",
    title: `${counted.least} to ${counted.most} in steps of ${counted.step}`,
    oninput: (event) => {
      const text = event.target.value.trim();
      layer.typed = text;
      layer.count = text === "" ? null : /^\d{1,10}$/.test(text) ? Number(text) : NaN;
      changedLayers();
    }
  }))] : [];
  return [...flags, ...choices, ...count];
}

function layerItem(layer, place) {
  const wrong = misplaced(chosen, place);
  const item = element("li", {class: `nlc-layer nlc-${zoneOf(place)}`},
    element("span", {class: "nlc-layer-head"},
      element("strong", {}, layer.name),
      element("span", {class: "nlc-size"}, sizeOf(layer)),
      element("button", {type: "button", class: "nlc-icon", id: `nlc-remove-${place}`,
        "aria-label": `Remove ${layer.name}`, title: `Remove ${layer.name}`,
        disabled: chosen.length === 1,
        onclick: () => {
          chosen.splice(place, 1);
          insertAt = null;
          changedLayers();
          (at(`remove-${Math.min(place, chosen.length - 1)}`) || at("stack")).focus();
        }}, "×")),
    ...(optionInputs(layer, place).length
      ? [element("span", {class: "nlc-options"}, ...optionInputs(layer, place))] : []),
    wrong ? element("span", {class: "nlc-error"}, wrong) : null);
  const inside = place + 1 < chosen.length ? `between ${layer.name} and ${chosen[place + 1].name}`
    : `inside ${layer.name}`;
  const add = insertions(chosen, place + 1).length ? element("button", {
    type: "button", class: "nlc-icon nlc-add", id: `nlc-add-${place}`,
    "aria-label": `Insert a layer ${inside}`, title: `Insert a layer ${inside}`,
    "aria-expanded": String(insertAt === place + 1), "aria-controls": "nlc-insert",
    onclick: () => {
      insertAt = insertAt === place + 1 ? null : place + 1;
      showLayers();
      if (insertAt !== null) at("insert").querySelector("button").focus();
    }
  }, "+") : null;
  item.append(...(add ? [add] : []));
  return item;
}

function showInsertions() {
  const panel = at("insert");
  panel.hidden = insertAt === null;
  if (panel.hidden) return;
  const outside = chosen[insertAt - 1].name;
  panel.setAttribute("aria-label", `Layers that fit inside ${outside}`);
  const close = () => {
    const place = insertAt - 1;
    insertAt = null;
    showLayers();
    at(`add-${place}`)?.focus();
  };
  panel.replaceChildren(
    element("span", {class: "nlc-insert-title"}, `Inside ${outside}:`),
    ...insertions(chosen, insertAt).map(({name, names}) => element("button", {
      type: "button",
      onclick: () => {
        const place = insertAt;
        chosen.splice(place, 0, ...names.map(plainLayer));
        insertAt = null;
        changedLayers();
        at(`remove-${place}`)?.focus();
      }
    }, names.length > 1 && names[0] !== name
      ? names.slice(0, names.indexOf(name)).join("/") + "/" : "", element("b", {}, name),
      names[names.length - 1] === name ? ""
        : "/" + names.slice(names.indexOf(name) + 1).join("/"))),
    element("button", {type: "button", class: "nlc-quiet", onclick: close}, "Close"));
  panel.onkeydown = (event) => {
    if (event.key === "Escape") close();
  };
}

function showLayers() {
  const focused = document.activeElement?.id, place = document.activeElement?.selectionStart;
  at("layers").replaceChildren(...chosen.map(layerItem));
  showInsertions();
  if (!focused?.startsWith("nlc-")) return;
  const again = document.getElementById(focused);
  if (again && again !== document.activeElement) {
    again.focus();
    if (typeof place === "number") again.setSelectionRange?.(place, place);
  }
}

function chosenText() {
  return chosen.map((layer) => {
    try {
      return resolvedLayer(layer).text;
    } catch (error) {
      // as it was chosen, though it is refused
      const {name, flags, choices, count} = layer, {usual, count: key} = LAYERS[name];
      const names = Object.keys(usual).filter((each) => choices[each] !== usual[each]);
      return [name, ...flags, ...names.map((each) => `${each}=${choices[each]}`),
        ...(count === null ? [] : [`${key}=${Number.isNaN(count) ? layer.typed : count}`])].join("+");
    }
  }).join("/");
}

function changedLayers() {
  at("stack").value = chosenText();
  showLayers();
  update();
}

function changedText() {
  try {
    chosen = parsedStack(at("stack").value);
    insertAt = null;
    showLayers();
    update();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    refuse(error);
  }
}

// Results

function row(name, value, note = "") {
  return element("tr", {}, element("th", {scope: "row"}, name),
    element("td", {}, value, note ? element("small", {}, ` ${note}`) : ""));
}

function table(caption, ...rows) {
  return element("div", {class: "nlc-scroll"}, element("table", {class: "nlc-table"},
    element("caption", {}, caption), element("tbody", {}, ...rows)));
}

function layersTable(line) {
  const rates = line.layer_rates_bps;
  const rows = [
    ["1: line", rates.layer1],
    ["2: frames, FCS", rates.layer2],
    ["3: IP packets", rates.layer3],
    ["4: payload", rates.layer4]
  ].map(([name, bps]) => element("tr", {}, element("th", {scope: "row"}, name),
    element("td", {class: "nlc-barred"}, element("span", {class: "nlc-bar",
      style: `width:${(100 * bps / rates.layer1).toFixed(2)}%`}),
      element("span", {}, rateText(bps)))));
  return table("Ceiling of each layer", ...rows);
}

function frameTable({line, stack, acknowledged}) {
  return table("A full frame",
    row("payload", bytesText(line.payload_bytes)),
    row("overhead", bytesText(line.overhead_bytes)),
    row("on the wire", bytesText(line.wire_bytes)),
    row("outermost packet", bytesText(line.outer_packet_bytes),
      stack.tunnel.length ? "the link MTU that it needs" : ""),
    row("efficiency", percent(line.efficiency_ratio)),
    row("frame rate", `${perSecond(line.frame_rate_fps)} frames/s`),
    ...(acknowledged ? [row("both directions", rateText(acknowledged.acknowledged_payload_rate_bps),
      "of payload each, with ACKs")] : []));
}

function messageRows(message) {
  return [
    row("frames", grouped(message.message_frame_count)),
    row("on the wire", bytesText(message.message_wire_bytes)),
    row("padding", bytesText(message.message_padding_bytes))
  ];
}

function messageTable(message) {
  const merged = message.message_merged_payload_rate_bps;
  return table(`Messages of ${bytesText(message.message_bytes)}, each sent by itself`,
    ...messageRows(message),
    row("efficiency", percent(message.message_efficiency_ratio)),
    row("payload rate", rateText(message.message_payload_rate_bps)),
    ...(merged === null ? [] : [row("at most", rateText(merged), "as one stream")]),
    row("message rate", `${perSecond(message.message_rate_tps)} messages/s`));
}

function transactionTable({transaction, request, response, stack}) {
  const both = (one, other) => `${one} · ${other}`;
  const acks = transaction.segments_per_ack !== null ? "with ACKs"
    : stack.acknowledging ? "ACKs ride on data" : "";
  return table("Requests and responses, each sent by itself",
    row("transactions", `${perSecond(transaction.transaction_rate_tps)} /s`, "full duplex"),
    row("half duplex", `${perSecond(transaction.half_duplex_transaction_rate_tps)} /s`),
    row("frames", both(grouped(request.message_frame_count),
      grouped(response.message_frame_count)), "request · response"),
    row("padding", both(bytesText(request.message_padding_bytes),
      bytesText(response.message_padding_bytes))),
    row("to server", bytesText(transaction.forward_wire_bytes), acks),
    row("to client", bytesText(transaction.reverse_wire_bytes), acks),
    row("request rate", rateText(transaction.request_payload_rate_bps), "of payload"),
    row("response rate", rateText(transaction.response_payload_rate_bps), "of payload"));
}

function partsTable(parts, wire) {
  let start = 0;
  const rows = parts.map((part) => {
    const from = start;
    start += part.bytes;
    return element("tr", {}, element("th", {scope: "row"},
      element("span", {class: `nlc-swatch nlc-${part.zone}`}), partName(part.name)),
    element("td", {}, ZONES[part.zone]),
    element("td", {class: "nlc-number"}, bytesText(part.bytes)),
    element("td", {class: "nlc-number"}, digits(from, 7)),
    element("td", {class: "nlc-number"}, percent(part.bytes / wire)));
  });
  const head = ["part", "zone", "bytes", "from byte", "share"].map((name, place) =>
    element("th", {scope: "col", class: place > 1 ? "nlc-number" : ""}, name));
  return element("div", {class: "nlc-scroll"}, element("table", {class: "nlc-table"},
    element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows)));
}

// The frame, to scale, and once more with the payload cut short

const SVG = "http://www.w3.org/2000/svg";

function shape(tag, attributes, text = null) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== null) made.append(text);
  return made;
}

const INK_PX = 6.4; // a character of the labels, 11 px high, on average
const STRIP = 34, GAP = 34;

function segment(part, x, width, y) {
  const group = shape("g", {class: `nlc-segment nlc-${part.zone}`});
  const name = partName(part.name);
  group.append(shape("title", {}, `${name}: ${bytesText(part.bytes)}`));
  group.append(shape("rect", {x, y, width: Math.max(width, 0.5), height: STRIP}));
  const label = name.replace(/ header$/, "");
  const size = Number.isInteger(part.bytes) ? grouped(part.bytes) : digits(part.bytes, 5);
  const room = (text) => text.length * INK_PX + 8 <= width;
  if (room(label)) {
    group.append(shape("text", {x: x + width / 2, y: y + 14}, label));
    group.append(shape("text", {x: x + width / 2, y: y + 28}, size));
  } else if (room(size)) {
    group.append(shape("text", {x: x + width / 2, y: y + 21}, size));
  }
  return group;
}

function merged(parts) {
  // parts of the same zone beside each other as one, for a strip on which each would be a hair
  const found = [];
  for (const part of parts) {
    const last = found[found.length - 1];
    if (last && last.zone === part.zone) last.bytes += part.bytes;
    else found.push({...part, name: ZONES[part.zone] === "line" ? part.name : ZONES[part.zone]});
  }
  return found;
}

function enlarged(parts, width) {
  // widths of which the payload takes a fifth, and no other part too little for its number
  const least = Math.min(24, width / (2 * parts.length));
  const others = parts.filter((part) => part.zone !== "payload");
  const payload = width / 5;
  const total = others.reduce((sum, part) => sum + part.bytes, 0);
  const room = width - payload - least * others.length;
  return parts.map((part) => part.zone === "payload" ? payload
    : least + room * part.bytes / total);
}

function draw(parts, line) {
  const holder = at("drawing"), width = Math.max(holder.clientWidth || 300, 240);
  const scale = width / line.wire_bytes;
  const below = 16 + STRIP + GAP, height = below + STRIP + 2;
  const svg = shape("svg", {viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
    "aria-labelledby": "nlc-caption"});
  let x = 0;
  svg.append(shape("text", {class: "nlc-strip", x: 0, y: 11},
    `a full frame to scale: ${bytesText(line.wire_bytes)} on the wire`));
  for (const part of merged(parts)) {
    svg.append(segment(part, x, part.bytes * scale, 16));
    x += part.bytes * scale;
  }
  const widths = enlarged(parts, width), payload = parts.findIndex((part) => part.zone === "payload");
  const sum = (list, upTo) => list.slice(0, upTo).reduce((total, each) => total + each, 0);
  const real = parts.map((part) => part.bytes * scale);
  for (const [from, to] of [[0, payload], [payload + 1, parts.length]]) {
    const top = [sum(real, from), sum(real, to)], bottom = [sum(widths, from), sum(widths, to)];
    svg.append(shape("path", {class: "nlc-zoom",
      d: `M${top[0]} ${16 + STRIP}L${bottom[0]} ${below}H${bottom[1]}L${top[1]} ${16 + STRIP}Z`}));
  }
  svg.append(shape("text", {class: "nlc-strip nlc-middle", x: width / 2, y: below - 12},
    "payload cut short"));
  parts.forEach((part, place) => {
    const left = sum(widths, place);
    svg.append(segment(part, left, widths[place], below));
    if (place !== payload) return;
    // where the payload is cut
    const middle = left + widths[place] - 14, step = STRIP / 4;
    svg.append(shape("path", {class: "nlc-cut",
      d: `M${middle} ${below}l5 ${step}l-5 ${step}l5 ${step}l-5 ${step}`}));
  });
  holder.replaceChildren(svg);
}

function caption(parts, line, stack) {
  const zones = [...new Set(parts.map((part) => part.zone))];
  const bytes = (zone) => parts.reduce(
    (total, part) => total + (part.zone === zone ? part.bytes : 0), 0);
  at("caption").replaceChildren(...zones.flatMap((zone) => [
    element("span", {class: "nlc-key"}, element("span", {class: `nlc-swatch nlc-${zone}`}),
      `${zone === "silent" ? "preamble and gap" : ZONES[zone]} ${bytesText(bytes(zone))}`), " "]));
}

// All together

function command(stack) {
  const value = (name) => {
    const {units} = FIELDS[name];
    return at(name).value.trim().replaceAll(/[\s_]/g, "") + (units ? at(`${name}-unit`).value : "");
  };
  const options = [["--line-rate", value("rate")], ["--mtu", value("mtu")], ["--stack", stack.text]];
  return `netmodel ceiling ${options.map((pair) => pair.join(" ")).join(" ")}`;
}

function state() {
  const kind = workload();
  const names = ["rate", "mtu", ...WORKLOADS[kind], ...(at("acks").value.trim() ? ["acks"] : [])];
  const pairs = names.map((name) => [name,
    at(name).value.trim() + (FIELDS[name].units ? at(`${name}-unit`).value : "")]);
  return [...pairs, ["workload", kind], ["stack", at("stack").value.trim()]]
    .map(([name, value]) => `${name}=${encodeURIComponent(value).replaceAll("%2F", "/")
      .replaceAll("%2B", "+").replaceAll("%3D", "=")}`).join("&");
}

function restore(hash) {
  const given = Object.fromEntries(hash.replace(/^#/, "").split("&").filter(Boolean).map((pair) => {
    const equals = pair.indexOf("=");
    try {
      return [pair.slice(0, equals), decodeURIComponent(pair.slice(equals + 1))];
    } catch (error) {
      return [pair.slice(0, equals), pair.slice(equals + 1)];
    }
  }));
  for (const [name, {units, usual}] of Object.entries(FIELDS)) {
    const text = given[name] ?? usual.join("");
    const unit = units ? Object.keys(units).filter((each) => text.endsWith(each))
      .sort((one, other) => other.length - one.length)[0] : "";
    at(name).value = unit ? text.slice(0, -unit.length).trim() : text;
    if (units) at(`${name}-unit`).value = unit || usual[1];
  }
  const kind = Object.hasOwn(WORKLOADS, given.workload ?? "") ? given.workload : "stream";
  root.querySelector(`input[name=nlc-workload][value=${kind}]`).checked = true;
  at("stack").value = given.stack ?? DATA.presets[Object.keys(DATA.presets)[0]];
  changedText();
  if (!at("stack-error").textContent) at("stack").value = chosenText();
}

function refuse(error) {
  const name = fieldOf(error), text = readable(error);
  for (const each of [...Object.keys(FIELDS), "stack"]) showError(each, each === name ? text : "");
  at("shown").hidden = true;
  at("answer").textContent = `No result: ${text}`;
  at("answer").classList.add("nlc-none");
  at("command").value = "";
}

let last = null;

function update() {
  const kind = workload();
  for (const field of root.querySelectorAll("[data-workload]"))
    field.hidden = field.dataset.workload !== kind;
  const preset = Object.entries(DATA.presets).find(([, text]) => text === chosenText());
  at("preset").value = preset ? preset[0] : "";
  last = null;
  try {
    const asked = {stack: chosen, segments_per_ack: null};
    const stack = resolvedStack(chosen);
    at("acks-field").hidden = !stack.acknowledging && !at("acks").value.trim();
    for (const name of ["rate", "mtu", ...WORKLOADS[kind], "acks"])
      asked[FIELDS[name].key] = entered(name);
    const result = computed(asked);
    for (const each of [...Object.keys(FIELDS), "stack"]) showError(each, "");
    show(asked, result);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    refuse(error);
  }
  const link = location.href.replace(/#.*$/, "") + `#${state()}`;
  at("link").value = link;
  try {
    history.replaceState(null, "", link);
  } catch (error) {
    // some browsers keep the address of a file as it is
  }
}

function show(asked, result) {
  const {line, parts, stack, message, transaction} = result;
  at("shown").hidden = false;
  at("answer").classList.remove("nlc-none");
  const rates = transaction ? [element("b", {}, perSecond(transaction.transaction_rate_tps)),
    " transactions per second"] : [element("b", {}, rateText(message
    ? message.message_payload_rate_bps : line.payload_rate_bps)), " of payload"];
  const per = message ? ` in messages of ${bytesText(message.message_bytes)}` : "";
  at("answer").replaceChildren(`A ${rateText(line.line_rate_bps)} line carries at most `, ...rates,
    `${per} at MTU ${line.mtu_bytes}.`);
  caption(parts, line, stack);
  draw(parts, line);
  const asides = [layersTable(line), frameTable(result)];
  const main = message ? messageTable(message) : transaction ? transactionTable(result)
    : asides.shift();
  at("tables").replaceChildren(element("div", {}, main), element("div", {}, ...asides));
  at("parts").replaceChildren(partsTable(parts, line.wire_bytes));
  at("notes").replaceChildren(...stack.notes.map((note) => element("p", {}, `Note: ${note}.`)));
  at("command").value = command(stack);
  last = {parts, line};
}

async function copy(event) {
  const button = event.currentTarget, field = document.getElementById(button.dataset.copies);
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
  } catch (error) {
    document.execCommand("copy"); // a file may have no clipboard
  }
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = "Copy"; }, 1500);
}

function start() {
  for (const [name, {units}] of Object.entries(FIELDS)) {
    if (units) at(`${name}-unit`).append(...Object.keys(units).map((unit) =>
      element("option", {}, unit)));
    at(name).addEventListener("input", update);
    at(`${name}-unit`)?.addEventListener("change", update);
  }
  at("rates").append(...COMMON_RATES.map((rate) => element("option", {}, String(rate))));
  at("preset").append(element("option", {value: "", disabled: true}, "your own"),
    ...Object.keys(DATA.presets).map((name) => element("option", {}, name)));
  at("preset").addEventListener("change", (event) => {
    chosen = parsedStack(DATA.presets[event.target.value]);
    insertAt = null;
    changedLayers();
  });
  at("stack").addEventListener("input", changedText);
  at("stack").addEventListener("change", () => {
    if (!at("stack-error").textContent) at("stack").value = chosenText();
  });
  for (const radio of root.querySelectorAll("input[name=nlc-workload]"))
    radio.addEventListener("change", update);
  for (const button of root.querySelectorAll("[data-copies]")) button.addEventListener("click", copy);
  root.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
  window.addEventListener("hashchange", () => {
    if (location.hash.slice(1) !== state()) restore(location.hash);
  });
  new ResizeObserver(() => { if (last) draw(last.parts, last.line); }).observe(at("drawing"));
  for (const example of document.querySelectorAll(".nlc-without-script")) example.hidden = true;
  root.hidden = false;
  restore(location.hash);
}

start();
})();
