/* What the search shows first: the page that is named like what was typed, options of that name. */
var Scorer = {
  score: ([docname, title, anchor, descr, score]) => {
    const query = (new URLSearchParams(window.location.search).get("q") || "").trim().toLowerCase();
    const page = docname.split("/").pop().split(".").pop().toLowerCase();
    const name = title.toLowerCase().split(/[ .>]+/).pop();
    let bonus = 0;
    if (title.toLowerCase() === query) bonus += 300;
    if (page === query) bonus += 200;
    if (name === query) bonus += 100;
    if (docname.startsWith("why/") || docname.startsWith("development/")) bonus -= 100;
    return score + bonus;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
