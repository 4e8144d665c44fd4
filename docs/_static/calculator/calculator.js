// The page of the line calculator: reads what is entered, calls the formulas of formulas.js, draws.
"use strict";

const netmodelCalculator = (() => {
const {DATA, FAMILIES, Refusal, worded} = netmodelLine;
const LAYERS = DATA.layers, WORDS = DATA.refusals;

// A layer as chosen: its name, flags, named options and count, null where the usual one holds

function plainLayer(name) {
  return {name, flags: [], choices: {...LAYERS[name].usual}, count: null};
}

function variantOf(chosen) {
  const form = LAYERS[chosen.name];
  const flags = form.flags.filter((flag) => chosen.flags.includes(flag));
  const names = Object.keys(form.choices).map((key) => `${key}=${chosen.choices[key]}`);
  return form.variants[[...flags, ...names].join("+")];
}

function atCount(lengths, count) {
  if (Array.isArray(lengths)) return lengths[0] + lengths[1] * count;
  if (typeof lengths === "string") return worded(lengths, {count});
  if (lengths === null || typeof lengths !== "object") return lengths;
  return Object.fromEntries(
    Object.entries(lengths).map(([name, value]) => [name, atCount(value, count)]));
}

function resolvedLayer(chosen) {
  const form = LAYERS[chosen.name], variant = variantOf(chosen);
  if (variant.refusal) throw new Refusal("stack", variant.refusal);
  const {counted, ...plain} = variant, count = chosen.count;
  let lengths = plain;
  if (count !== null) {
    const {least, most, step, refusals} = counted;
    if (!Number.isInteger(count))
      throw new Refusal("stack", worded(WORDS.whole_count,
        {name: chosen.name, key: form.count, value: chosen.typed}));
    const kind = count < least ? "below" : count > most ? "above"
      : (count - least) % step ? "between" : null;
    if (kind) throw new Refusal("stack", worded(refusals[kind], {value: count}));
    if (count !== counted.usual) lengths = atCount(counted.lengths, count);
  }
  const runs = (parts) => Object.entries(parts).filter(([, bytes]) => bytes);
  return {...form, ...lengths, name: chosen.name,
    header: runs(lengths.header), trailer: runs(lengths.trailer)};
}

// A stack as text

function parsedLayer(text) {
  const [name, ...options] = text.split("+");
  if (!Object.hasOwn(LAYERS, name)) throw new Refusal("stack", worded(WORDS.unknown_layer, {name}));
  const form = LAYERS[name], chosen = plainLayer(name), given = new Set();
  for (const option of options) {
    const equals = option.indexOf("="), key = equals < 0 ? option : option.slice(0, equals);
    const value = equals < 0 ? null : option.slice(equals + 1);
    if (value === null && form.flags.includes(key)) {
      chosen.flags.push(key);
    } else if (value !== null && key === form.count) {
      if (!/^[0-9]{1,10}$/.test(value))
        throw new Refusal("stack", worded(WORDS.whole_count, {name, key, value}));
      chosen.count = Number(value);
    } else if (value !== null && Object.hasOwn(form.choices, key)) {
      if (!form.choices[key].includes(value))
        throw new Refusal("stack", worded(WORDS.unknown_choice, {name, key, value}));
      chosen.choices[key] = value;
    } else {
      throw new Refusal("stack", worded(WORDS.unknown_option, {name, option}));
    }
    if (given.has(key)) throw new Refusal("stack", worded(WORDS.twice, {name, option}));
    given.add(key);
  }
  return chosen;
}

function parsedStack(text) {
  const names = text.trim().split("/");
  if (names.some((name) => !name)) throw new Refusal("stack", worded(WORDS.empty, {text}));
  const chosen = names.map(parsedLayer);
  const outermost = Object.keys(LAYERS).find((name) => LAYERS[name].carried_by.includes(""));
  if (LAYERS[chosen[0].name].carried_by.includes(outermost)) chosen.unshift(plainLayer(outermost));
  return chosen;
}

function misplaced(chosen, place) {
  // why a layer may not stand where it does
  const {name} = chosen[place], outside = place ? chosen[place - 1].name : "";
  if (LAYERS[name].carried_by.includes(outside)) return "";
  const where = outside ? worded(WORDS.inside, {outside}) : WORDS.outermost;
  return `${WORDS.must_stand[name]}; ${where}`;
}

function resolvedStack(chosen) {
  const layers = chosen.map(resolvedLayer);
  const wrong = chosen.map((_, place) => misplaced(chosen, place)).find(Boolean);
  if (wrong) throw new Refusal("stack", wrong);
  const last = layers[layers.length - 1];
  if (last.level === "tunnel")
    throw new Refusal("stack", worded(WORDS.innermost, {name: last.name}));
  // zones: in front of the outermost packet, down to the innermost one, inside it, records
  const packets = layers.flatMap((layer, place) => layer.level === "internet" ? [place] : []);
  const cut = layers.findIndex((layer) => layer.level === "records");
  const end = cut < 0 ? layers.length : cut;
  const first = packets.length ? packets[0] : layers.length;
  const innermost = packets.length ? packets[packets.length - 1] : layers.length;
  const inner = layers.slice(innermost, end);
  const answering = layers.map((layer) => layer.acknowledgement_bytes !== null).lastIndexOf(true);
  const sum = (name) => inner.reduce((total, layer) => total + layer[name], 0);
  const stack = {
    layers,
    link: layers.slice(0, first),
    tunnel: layers.slice(first, innermost),
    inner,
    records: layers.slice(end),
    acknowledging: answering < 0 ? null : layers.slice(innermost, answering + 1),
    acknowledgement_bytes: answering < 0 ? null : layers[answering].acknowledgement_bytes,
    message_header_bytes: sum("message_header_bytes"),
    message_trailer_bytes: sum("message_trailer_bytes"),
    own_minimum_mtu_bytes: inner.length ? inner[0].minimum_mtu_bytes : 0,
    text: layers.map((layer) => layer.text).join("/"),
    notes: layers.filter((layer) => layer.estimate)
      .map((layer) => worded(DATA.estimate, {layer: layer.text, estimate: layer.estimate}))
  };
  const carrier = layers[end - 1];
  const isDatagram = layers[layers.length - 1].name === "udp";
  if (sum("cdc_message_bytes")) stack.family = "smcr";
  else if (layers.some((layer) => layer.is_rdma)) stack.family = "rdma";
  else if (isDatagram && inner.length === 2)
    stack.family = inner[0].name === "ipv6" ? "datagram over IPv6" : "datagram";
  else if (isDatagram) stack.family = "unsplit";
  else stack.family = carrier.merges_messages ? "stream" : "unit";
  return stack;
}

// Everything on the wire for one full packet, in wire order, as Stack.full_frame_parts has it

function frameParts(stack, line) {
  const {layer_mean_content_bytes: meanContent, layer_record_count: recordCount,
    layer_padding_bytes: padding, layer_size_bytes: size} = netmodelLine;
  let inside = [], payload = line.segment_bytes;
  for (const layer of stack.records) {
    const content = meanContent(layer, payload);
    const name = `${layer.name.replaceAll("-", "_")}_records`;
    inside.push({name, bytes: payload - content, zone: "records"});
    payload = content;
  }
  inside.push({name: "payload", bytes: payload, zone: "payload"});
  for (const [zone, content_bytes, mtu_bytes] of [
    ["inner", line.segment_bytes, line.segment_bytes],
    ["tunnel", line.packet_bytes, line.mtu_bytes],
    ["link", line.outer_packet_bytes, line.outer_packet_bytes]
  ]) {
    let content = content_bytes, mtu = mtu_bytes;
    for (const layer of [...stack[zone]].reverse()) {
      const count = recordCount(layer, content), named = (times) => ([name, bytes]) =>
        ({name, bytes: bytes * times, zone});
      const filler = {name: `${layer.name}_padding`, zone: "padding",
        bytes: padding(layer, content, mtu)};
      inside = [...layer.header.map(named(count)), ...inside, filler,
        ...layer.trailer.map(named(1))];
      [content, mtu] = [size(layer, content, mtu), size(layer, mtu, mtu)];
    }
  }
  const {preamble, sfd, fcs, interframe_gap} = DATA.around;
  const own = inside.reduce((total, part) => total + part.bytes, 0);
  const filler = Math.round(line.wire_bytes - own - preamble - sfd - fcs - interframe_gap);
  return [
    {name: "preamble", bytes: preamble, zone: "silent"},
    {name: "sfd", bytes: sfd, zone: "silent"},
    ...inside,
    {name: "padding", bytes: filler, zone: "padding"},
    {name: "fcs", bytes: fcs, zone: "link"},
    {name: "interframe_gap", bytes: interframe_gap, zone: "silent"}
  ].filter((part) => part.bytes);
}

// Results of all that is asked: numbers in base units, null where nothing is asked

function whole(name, value) {
  if (Number.isInteger(value)) return value;
  throw new Refusal(name, worded(WORDS.whole, {name, value}));
}

function message(formulas, stack, line, name, bytes) {
  const most = DATA.most_message_bytes;
  whole(name, bytes);
  if (bytes > most)
    throw new Refusal(name, worded(WORDS.limit,
      {name, relation: "at most", limit: most, unit: "byte", value: bytes}));
  try {
    return formulas.message(stack, line.line_rate_bps, line.mtu_bytes, bytes);
  } catch (error) {
    if (error instanceof Refusal && error.field === "message_bytes") error.field = name;
    throw error;
  }
}

function computed(asked) {
  const stack = resolvedStack(
    typeof asked.stack === "string" ? parsedStack(asked.stack) : asked.stack);
  const formulas = FAMILIES[stack.family];
  const line = formulas.line(stack, asked.line_rate_bps, whole("mtu_bytes", asked.mtu_bytes));
  const given = [stack, line.line_rate_bps, line.mtu_bytes];
  const result = {stack, line, parts: frameParts(stack, line), message: null, request: null,
    response: null, transaction: null, acknowledged: null};
  const perAck = asked.segments_per_ack ?? null;
  if (perAck !== null) {
    whole("segments_per_ack", perAck);
    if (!stack.acknowledging)
      throw new Refusal("segments_per_ack", worded(WORDS.acknowledgements, {stack: stack.text}));
    result.acknowledged = formulas.acknowledged(...given, perAck);
  }
  if (asked.message_bytes !== undefined)
    result.message = message(formulas, stack, line, "message_bytes", asked.message_bytes);
  if (asked.request_bytes !== undefined) {
    for (const side of ["request", "response"]) {
      const name = `${side}_bytes`;
      result[side] = message(formulas, stack, line, name, asked[name]);
    }
    const sizes = [asked.request_bytes, asked.response_bytes];
    result.transaction = perAck === null ? formulas.transaction(...given, ...sizes)
      : formulas.acknowledged_transaction(...given, ...sizes, perAck);
  }
  return result;
}

// Which layers may be inserted at a place, each with what it needs on both sides

function mayStand(name, outside) {
  return LAYERS[name].carried_by.includes(outside);
}

function shortest(from, isGoal) {
  // the fewest layers, each inside the one before, that lead from a layer to a goal
  const queue = [[from]], seen = new Set([from]);
  while (queue.length) {
    const path = queue.shift(), last = path[path.length - 1];
    if (isGoal(last)) return path;
    for (const name of Object.keys(LAYERS))
      if (mayStand(name, last) && !seen.has(name)) {
        seen.add(name);
        queue.push([...path, name]);
      }
  }
  return null;
}

function insertions(chosen, place) {
  const outside = place ? chosen[place - 1].name : "";
  const inside = place < chosen.length ? chosen[place].name : null;
  const found = [];
  for (const name of Object.keys(LAYERS)) {
    // nothing but what the layer needs: no loop through a packet more in front of it
    const before = mayStand(name, outside) ? [] : shortest(outside, (last) => mayStand(name, last))
      ?.slice(1);
    if (!before) continue;
    const isEnd = (last) => inside === null ? LAYERS[last].level !== "tunnel"
      : mayStand(inside, last);
    const after = shortest(name, isEnd);
    if (!after) continue;
    // a layer of another packet, or one that only a tunnel makes right, is offered as that tunnel
    const {level} = LAYERS[name];
    if (before.length && (level === "link" || level === "internet")) continue;
    if (after.slice(1).some((each) => LAYERS[each].level === "tunnel")) continue;
    found.push({name, names: [...before, ...after]});
  }
  return found;
}

return {DATA, LAYERS, Refusal, plainLayer, variantOf, parsedStack, resolvedLayer, resolvedStack,
  misplaced, insertions, computed};
})();
