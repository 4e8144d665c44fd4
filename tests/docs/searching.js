// Links that each search finds, by the titles of the frames.
window.onload = () => setTimeout(() => {
  const all = [...document.querySelectorAll("iframe")];
  const result = Object.fromEntries(all.map((each) => [each.title,
    [...each.contentDocument.querySelectorAll("#search-results li a:first-child")]
      .map((link) => link.href)]));
  document.querySelector("#found").textContent = JSON.stringify(result);
}, 8000);
