// What does not fit its page, by the titles of the frames.
const found = [];
function measure(frame) {
  const view = frame.contentWindow, page = frame.contentDocument, faults = [];
  const width = page.documentElement.clientWidth;
  if (page.documentElement.scrollWidth > width)
    faults.push(`scrolls sideways: ${page.documentElement.scrollWidth} of ${width} px`);
  for (const each of page.querySelectorAll("main *")) {
    if (!each.getClientRects().length || each.closest("svg, dialog, .math")) continue;
    const box = each.getBoundingClientRect();
    if (box.width <= 1) continue;
    const name = `${each.tagName}.${each.className}: ${each.textContent.trim().slice(0, 50)}`;
    let scrolls = false;
    for (let over = each.parentElement; over; over = over.parentElement)
      scrolls ||= ["auto", "scroll"].includes(view.getComputedStyle(over).overflowX);
    if (!scrolls && (box.right > width + 1 || box.left < -1)) faults.push(`outside: ${name}`);
    const style = view.getComputedStyle(each);
    const is_cut = each.scrollWidth > each.clientWidth + 1;
    if (is_cut && style.overflowX === "hidden") faults.push(`cut: ${name}`);
    if (is_cut && each.tagName === "PRE" && width > 1000)
      faults.push(`${each.scrollWidth} of ${each.clientWidth} px: ${name}`);
  }
  return [...new Set(faults)];
}
window.onload = () => setTimeout(() => {
  const all = [...document.querySelectorAll("iframe")];
  const result = Object.fromEntries(all.map((each) => [each.title, measure(each)]));
  document.querySelector("#found").textContent = JSON.stringify(result);
}, 3000);
