// Faults of one layout of a page, an iframe of this one: what is cut, pale or on other text.
const shown = (element) => element.getClientRects().length > 0;
const colour = (text) => {
  const parts = text.match(/[\d.]+/g).map(Number);
  return [parts[0], parts[1], parts[2], parts.length > 3 ? parts[3] : 1];
};
// WCAG 2.2: relative luminance and contrast ratio
const luminance = (rgb) => rgb.slice(0, 3)
  .map((part) => part / 255)
  .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
  .reduce((sum, part, place) => sum + part * [0.2126, 0.7152, 0.0722][place], 0);
const contrast = (one, other) => {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
};
function measure(frame) {
  const view = frame.contentWindow, page = frame.contentDocument;
  page.querySelectorAll("details").forEach((each) => { each.open = true; });
  const faults = [], width = page.documentElement.clientWidth;
  if (page.documentElement.scrollWidth > width)
    faults.push(`scrolls sideways: ${page.documentElement.scrollWidth} of ${width} px`);
  const texts = page.createTreeWalker(page.body, NodeFilter.SHOW_TEXT);
  let count = 0;
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const parent = node.parentElement, text = node.data.trim().slice(0, 40);
    if (!text || !shown(parent) || parent.closest("title, desc, script, style")) continue;
    const range = page.createRange();
    range.selectNodeContents(node);
    const place = range.getBoundingClientRect();
    if (!place.width) continue;
    const hides = [];
    for (let each = parent; each; each = each.parentElement) {
      const style = view.getComputedStyle(each);
      if (style.overflowX !== "visible") hides.push([each, style]);
    }
    // what is there for screen readers only is a clipped box of 1 px
    if (hides.some(([each]) => each.getBoundingClientRect().width <= 1)) continue;
    count += 1;
    if (place.left < -1 || place.right > width + 1) faults.push(`outside the page: ${text}`);
    for (const [each] of hides) {
      const box = each.getBoundingClientRect();
      if (place.left < box.left - 1 || place.right > box.right + 1 ||
          place.top < box.top - 1 || place.bottom > box.bottom + 1)
        faults.push(`cut by ${each.tagName}.${each.getAttribute("class")}: ${text}`);
    }
    const style = view.getComputedStyle(parent);
    const ink = colour(parent.ownerSVGElement ? style.fill : style.color);
    let ground = [0, 0, 0, 0];
    for (let each = parent; each && ground[3] < 1; each = each.parentElement)
      ground = colour(view.getComputedStyle(each).backgroundColor);
    // a label on a bar of the same group
    const bar = parent.ownerSVGElement && parent.parentElement.querySelector(":scope > rect");
    const under = bar && bar.getBoundingClientRect();
    if (bar && under.left <= place.left && place.right <= under.right &&
        under.top <= place.top && place.bottom <= under.bottom)
      ground = colour(view.getComputedStyle(bar).fill);
    if (ground[3] < 1) ground = view.matchMedia("(prefers-color-scheme: dark)").matches
      ? [18, 18, 18, 1] : [255, 255, 255, 1];
    const ratio = contrast(ink, ground);
    const size = parseFloat(style.fontSize), bold = Number(style.fontWeight) >= 700;
    if (ratio < (size >= 24 || (bold && size >= 18.66) ? 3 : 4.5))
      faults.push(`contrast ${ratio.toFixed(2)}: ${text}`);
  }
  for (const svg of page.querySelectorAll("svg")) {
    const labels = [...svg.querySelectorAll("text")].filter(shown)
      .map((each) => [each.textContent.trim(), each.getBoundingClientRect()]);
    labels.forEach(([text, one], place) => labels.slice(place + 1).forEach(([other, two]) => {
      if (Math.min(one.right, two.right) - Math.max(one.left, two.left) > 1 &&
          Math.min(one.bottom, two.bottom) - Math.max(one.top, two.top) > 2)
        faults.push(`"${text}" lies on "${other}"`);
    }));
  }
  const dark = view.matchMedia("(prefers-color-scheme: dark)").matches;
  return {name: frame.title, width, dark, texts: count, faults: [...new Set(faults)]};
}
window.onload = () => {
  const found = [...document.querySelectorAll("iframe")].map(measure);
  document.querySelector("#found").textContent = JSON.stringify(found);
};
