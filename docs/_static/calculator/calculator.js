// The page of the line calculator: reads what is entered, calls the formulas of formulas.js, draws.
"use strict";

const netmodelCalculator = (() => {
const UNITS = {"Mbit/s": 1e6, "Gbit/s": 1e9, "Tbit/s": 1e12};
const RATES = [1, 10, 25, 40, 50, 100, 200, 400, 800];
const SILENT = ["preamble", "sfd", "interframe_gap"];

class Refusal extends Error {
  constructor(field, message) { super(message); this.field = field; }
}

// Text

const grouped = (value, after = 0) => value.toLocaleString("en-US",
  {minimumFractionDigits: after, maximumFractionDigits: after});
const digits = (value, most) => String(Number(value.toPrecision(most)));

function rateText(bps) {
  const [unit, scale] = Object.entries({"bit/s": 1, "kbit/s": 1e3, ...UNITS})
    .filter(([, each]) => bps >= each).pop() || ["bit/s", 1];
  return `${digits(bps / scale, 11)} ${unit}`;
}

function bytesText(bytes) {
  return `${Number.isInteger(bytes) ? grouped(bytes) : digits(bytes, 7)} byte`;
}

// Answers

function number(field, label, text) {
  const plain = text.trim().replaceAll(/[\s_\u00a0]/g, "");
  if (!plain) throw new Refusal(field, `Enter the ${label}`);
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain)) {
    const hint = plain.includes(",") ? ": write a point before decimals, and no commas" : "";
    throw new Refusal(field, `The ${label} must be a number; got ${text.trim()}${hint}`);
  }
  return Number(plain);
}

function answered({rate, unit, mtu, stack}) {
  // the ceiling with the parts of a frame; throws a Refusal
  const known = netmodelStacks[stack];
  const bps = number("rate", "line rate", rate) * UNITS[unit], bytes = number("mtu", "MTU", mtu);
  if (!(bps > 0 && Number.isFinite(bps)))
    throw new Refusal("rate", `The line rate must be above 0; got ${rate.trim()} ${unit}`);
  const {least_mtu_bytes: least, most_mtu_bytes: most} = known;
  if (!(Number.isInteger(bytes) && least <= bytes && bytes <= most))
    throw new Refusal("mtu",
      `The MTU must be a whole number of ${grouped(least)} to ${grouped(most)} byte; got ${mtu.trim()}`);
  const line = known.ceiling(bps, bytes);
  const fixed = known.parts.reduce((sum, [, length]) => sum + (length ?? 0), 0);
  const lengths = {payload: line.payload_bytes, rest: line.wire_bytes - fixed - line.payload_bytes};
  const parts = known.parts.map(([name, length]) =>
    ({name, bytes: length ?? lengths[name === "payload" ? name : "rest"]})).filter((x) => x.bytes);
  return {...line, line_rate_bps: bps, mtu_bytes: bytes, parts, notes: known.notes,
    command: `netmodel ceiling --line-rate ${rate.trim()}${unit} --mtu ${bytes} --stack ${known.stack}`};
}

// The page

const root = document.querySelector("#nlc");
if (!root) return {answered, Refusal};
const at = (id) => document.getElementById(`nlc-${id}`);
const FIELDS = ["rate", "unit", "mtu", "stack"];
const USUAL = {rate: "25", unit: "Gbit/s", mtu: "1500", stack: Object.keys(netmodelStacks)[0]};

function element(tag, attributes = {}, ...inside) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...inside);
  return made;
}

const row = (name, ...values) => element("tr", {}, element("th", {scope: "row"}, name),
  ...values.map((value) => element("td", {}, value)));
const kindOf = (name) => name === "payload" ? name : SILENT.includes(name) ? "silent" : "header";

function show(found) {
  at("answer").replaceChildren(`A ${rateText(found.line_rate_bps)} line carries at most `,
    element("b", {}, rateText(found.payload_rate_bps)), ` of payload at MTU ${found.mtu_bytes}.`);
  // a bar of all bytes, headers to scale; the table below names them
  at("frame").replaceChildren(...found.parts.map(({name, bytes}) => element("span",
    {class: `nlc-${kindOf(name)}`, style: `flex-grow:${bytes}`, title: `${name} ${bytesText(bytes)}`})));
  at("parts").replaceChildren(...found.parts.map(({name, bytes}) => element("tr", {},
    element("th", {scope: "row"}, element("span", {class: `nlc-swatch nlc-${kindOf(name)}`}),
      name.replaceAll("_", " ")), element("td", {}, bytesText(bytes)))),
  row("on the wire", bytesText(found.wire_bytes)));
  at("line").replaceChildren(
    row("overhead of a frame", bytesText(found.overhead_bytes)),
    row("link MTU needed", bytesText(found.outer_packet_bytes)),
    row("efficiency", `${digits(100 * found.efficiency_ratio, 6)} %`),
    row("frames", `${grouped(found.frame_rate_fps)} /s`),
    row("layer 1, line", rateText(found.layer1)),
    row("layer 2, frames", rateText(found.layer2)),
    row("layer 3, IP packets", rateText(found.layer3)),
    row("layer 4, payload", rateText(found.layer4)));
  at("notes").textContent = found.notes.map((note) => `Note: ${note}.`).join(" ");
  at("command").value = found.command;
}

function update() {
  const entered = Object.fromEntries(FIELDS.map((name) => [name, at(name).value]));
  let refused = null;
  try {
    show(answered(entered));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    refused = error;
    at("answer").textContent = `No result: ${error.message}.`;
    at("command").value = "";
  }
  at("shown").hidden = refused !== null;
  at("answer").classList.toggle("nlc-none", refused !== null);
  for (const name of ["rate", "mtu"]) {
    const isWrong = refused?.field === name;
    at(`${name}-error`).textContent = isWrong ? refused.message : "";
    at(name).setAttribute("aria-invalid", isWrong);
  }
  try {
    history.replaceState(null, "", `#${new URLSearchParams(entered)}`);
  } catch (error) {
    // some browsers keep the address of a file as it is
  }
}

function restore() {
  const given = new URLSearchParams(location.hash.slice(1));
  for (const name of FIELDS) {
    at(name).value = given.get(name) ?? USUAL[name];
    if (at(name).value === "" && at(name).options) at(name).value = USUAL[name];
  }
  update();
}

const option = (text) => element("option", {}, text);
at("unit").append(...Object.keys(UNITS).map(option));
at("rates").append(...RATES.map(option));
at("stack").append(...Object.keys(netmodelStacks).map(option));
for (const name of FIELDS) at(name).addEventListener("input", update);
at("copy").addEventListener("click", () => {
  at("command").select();
  navigator.clipboard?.writeText(at("command").value);
});
root.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
window.addEventListener("hashchange", restore);
for (const example of document.querySelectorAll(".nlc-without-script")) example.hidden = true;
root.hidden = false;
restore();
return {answered, Refusal};
})();
